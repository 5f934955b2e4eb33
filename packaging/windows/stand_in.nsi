; A stand-in for the program, with which the installer is tried on other systems: it notes
; in its folder what it was asked, and ends.
Unicode true
Target amd64-unicode
!include FileFunc.nsh
Name "stand-in"
OutFile "${OUTPUT}"
RequestExecutionLevel user
SilentInstall silent

Section
  ${GetParameters} $0
  FileOpen $1 "$EXEDIR\asked.txt" a
  FileSeek $1 0 END
  FileWrite $1 "$0$\r$\n"
  FileClose $1
SectionEnd
