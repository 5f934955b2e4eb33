; The installer for Windows, made with Inno Setup 6 on Windows:
;
;   iscc /DVersion=0.1.0 packaging\windows\qmdesk.iss
;
; For one user, without an administrator.  /VERYSILENT installs without a question.

#ifndef Version
  #error say /DVersion=
#endif
#ifndef Bundle
  #define Bundle "..\..\dist\qmdesk"
#endif

[Setup]
AppId=org.qmdesk.qmdesk
AppName=Quartermaster Desk
AppVersion={#Version}
AppPublisher=The qmdesk authors
DefaultDirName={localappdata}\Programs\Quartermaster Desk
DisableProgramGroupPage=yes
DisableDirPage=auto
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
OutputDir=..\..\dist
OutputBaseFilename=qmdesk-{#Version}-windows-x64
SetupIconFile=..\..\build\pyinstaller\installer\qmdesk.ico
UninstallDisplayIcon={app}\qmdesk-tray.exe
LicenseFile=..\..\LICENSE
Compression=lzma2
SolidCompression=yes
WizardStyle=modern
; We ask the running one ourselves: it has models to stop, and would not be restarted.
CloseApplications=no
; To sign: iscc "/Ssign=signtool sign /fd sha256 /tr TIMESTAMP /td sha256 /a $f" /DSign
#ifdef Sign
SignTool=sign
SignedUninstaller=yes
#endif

[Tasks]
Name: login; Description: "Start at login"; Flags: unchecked

[InstallDelete]
; Nothing of an older version may be found by the newer one.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#Bundle}\*"; DestDir: "{app}"; Flags: recursesubdirs createallsubdirs ignoreversion

[Icons]
; The name that the program gives itself: else its messages carry another.
Name: "{userprograms}\Quartermaster Desk"; Filename: "{app}\qmdesk-tray.exe"; AppUserModelID: "org.qmdesk.qmdesk"

[Registry]
; The same value as "Start at login" in the tray menu.
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: string; ValueName: "qmdesk"; ValueData: """{app}\qmdesk-tray.exe"""; Tasks: login

[Run]
Filename: "{app}\qmdesk-tray.exe"; Description: "Start Quartermaster Desk now"; Flags: nowait postinstall skipifsilent

[Code]
const
  Run = 'Software\Microsoft\Windows\CurrentVersion\Run';

{ Asks the running one to quit, with its models; it may take half a minute. }
function EndRunning: Boolean;
var
  Program_: String;
  Code: Integer;
begin
  Program_ := ExpandConstant('{app}\qmdesk-tray.exe');
  Result := not FileExists(Program_);
  if not Result then
    Result := Exec(Program_, '--quit', '', SW_HIDE, ewWaitUntilTerminated, Code) and (Code = 0);
end;

function PrepareToInstall(var NeedsRestart: Boolean): String;
begin
  Result := '';
  if not EndRunning then
    Result := 'Quartermaster Desk is still running. Quit it in its tray menu, then try again.';
end;

function InitializeUninstall: Boolean;
begin
  Result := EndRunning;
  if not Result then
    SuppressibleMsgBox('Quartermaster Desk is still running. Quit it in its tray menu, then try again.',
      mbError, MB_OK, IDOK);
end;

procedure CurUninstallStepChanged(Step: TUninstallStep);
var
  Value, Data: String;
begin
  if Step <> usPostUninstall then
    Exit;
  { Another installation's start at login is not ours to take away. }
  if RegQueryStringValue(HKCU, Run, 'qmdesk', Value) then
    if Value = '"' + ExpandConstant('{app}\qmdesk-tray.exe') + '"' then
      RegDeleteValue(HKCU, Run, 'qmdesk');
  Data := ExpandConstant('{localappdata}\qmdesk');
  if DirExists(Data) then
    if SuppressibleMsgBox('Delete your configuration, its history and the logs as well?' + #13#10 + Data,
      mbConfirmation, MB_YESNO or MB_DEFBUTTON2, IDNO) = IDYES then
    begin
      DelTree(Data, True, True, True);
      RegDeleteKeyIncludingSubkeys(HKCU, 'Software\qmdesk');
    end;
end;
