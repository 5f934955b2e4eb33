; The installer for Windows, made with NSIS on any system:
;
;   makensis -DVERSION=0.1.0 -DBUNDLE=dist/qmdesk -DOUTPUT=dist/qmdesk-0.1.0-windows-x64.exe \
;       packaging/windows/qmdesk.nsi
;
; For one user, without an administrator.  /S installs silently, /D=FOLDER elsewhere;
; the folder is remembered for the next one.  /LOGIN starts qmdesk at login.

!ifndef VERSION | BUNDLE | OUTPUT
  !error "say -DVERSION=, -DBUNDLE= and -DOUTPUT="
!endif

Unicode true
SetCompressor /SOLID lzma
Target amd64-unicode

!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh

!define NAME "Quartermaster Desk"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\qmdesk"
!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"

Name "${NAME}"
OutFile "${OUTPUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "Software\qmdesk\installer" "folder"

VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "${NAME}"
VIAddVersionKey FileDescription "${NAME} installer"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey LegalCopyright "MIT licence"

!ifdef ICON
  !define MUI_ICON "${ICON}"
  !define MUI_UNICON "${ICON}"
!endif
!define MUI_FINISHPAGE_RUN "$INSTDIR\qmdesk-tray.exe"
!define MUI_FINISHPAGE_RUN_TEXT "Start ${NAME} now"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English

; A running qmdesk is asked to quit, with its models; it may take half a minute.  Whoever
; still holds the program then (another configuration's instance) has to be ended by hand.
!macro END_RUNNING un
Function ${un}EndRunning
  ${IfNot} ${FileExists} "$INSTDIR\qmdesk-tray.exe"
    Return
  ${EndIf}
  DetailPrint "Asking the running ${NAME} to quit"
  ExecWait '"$INSTDIR\qmdesk-tray.exe" --quit'
  again:
  ClearErrors
  FileOpen $0 "$INSTDIR\qmdesk-tray.exe" a
  ${If} ${Errors}
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION \
      "${NAME} is still running. Quit it in its tray menu, then try again." \
      /SD IDCANCEL IDRETRY again
    SetErrorLevel 2
    Abort "${NAME} is still running"
  ${EndIf}
  FileClose $0
FunctionEnd
!macroend
!insertmacro END_RUNNING ""
!insertmacro END_RUNNING "un."

Section "${NAME}" SectionProgram
  SectionIn RO
  Call EndRunning
  ; Nothing of an older version may be found by the newer one.
  RMDir /r "$INSTDIR\_internal"
  SetOutPath "$INSTDIR"
  File /r "${BUNDLE}/*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\qmdesk-tray.exe"

  WriteRegStr HKCU "Software\qmdesk\installer" "folder" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\qmdesk-tray.exe"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  IntFmt $0 "0x%08X" $0
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" "$0"
SectionEnd

; The same value as "Start at login" in the tray menu.
Section /o "Start at login" SectionLogin
  WriteRegStr HKCU "${RUN}" "qmdesk" '"$INSTDIR\qmdesk-tray.exe"'
SectionEnd

Function .onInit
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/LOGIN" $1
  ${IfNot} ${Errors}
    SectionSetFlags ${SectionLogin} ${SF_SELECTED}
  ${EndIf}
FunctionEnd

Section "Uninstall"
  Call un.EndRunning
  Delete "$SMPROGRAMS\${NAME}.lnk"
  ; Another installation's start at login is not ours to take away.
  ReadRegStr $0 HKCU "${RUN}" "qmdesk"
  ${If} $0 == '"$INSTDIR\qmdesk-tray.exe"'
    DeleteRegValue HKCU "${RUN}" "qmdesk"
  ${EndIf}
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\qmdesk.exe"
  Delete "$INSTDIR\qmdesk-tray.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\qmdesk\installer"
  DeleteRegKey /ifempty HKCU "Software\qmdesk"
  MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 \
    "Delete your configuration, its history and the logs as well?$\n$\n$LOCALAPPDATA\qmdesk" \
    /SD IDNO IDNO kept
  RMDir /r "$LOCALAPPDATA\qmdesk"
  DeleteRegKey HKCU "Software\qmdesk"
  kept:
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionProgram} "The program, and its entry in the start menu."
  !insertmacro MUI_DESCRIPTION_TEXT ${SectionLogin} "Start qmdesk when you log in."
!insertmacro MUI_FUNCTION_DESCRIPTION_END
