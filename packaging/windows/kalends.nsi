; The Windows installer, for one user, without administrator rights.
;
; `release.windows` defines VERSION (such as 1.2.3), VERSION_4 (1.2.3.0), PAYLOAD (the frozen app's folder),
; PAYLOAD_KB, ICON, LICENCE and OUTPUT. SIGN is a command that signs a file, if the programs are to be signed.
;
;   setup.exe /S [/START] [/D=FOLDER]   install without questions; /START opens Kalends afterwards
;   uninstall.exe /S [/DATA=remove]     posts, drafts and settings stay unless /DATA=remove is given
;
; Exit codes: 0 done; 1 cancelled; 2 Kalends is still running or its files can't be replaced, and nothing changed.

Unicode true
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include Win\COM.nsh
!include Win\Propkey.nsh

!ifndef PATIENCE
  !define PATIENCE 60 ; quarters of a second, after the app was asked to quit
!endif
!define PROGRAM "$INSTDIR\kalends.exe"
!define CLASSES "Software\Classes"
!define MEDIA "Kalends.Media"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Kalends"
!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"
!define APP_PATH "Software\Microsoft\Windows\CurrentVersion\App Paths\kalends.exe"
!define DATA "$LOCALAPPDATA\kalends"
!define APP_ID "Kalends" ; AppUserModelID; the app has the same one, see app/desktop/jump_list.py
!define APP_ID_KEY "${CLASSES}\AppUserModelId\${APP_ID}"

!ifdef SIGN
  !uninstfinalize '${SIGN} "%1"' = 0
  !finalize '${SIGN} "%1"' = 0
!endif

Name "Kalends"
OutFile "${OUTPUT}"
Target amd64-unicode
RequestExecutionLevel user
SetCompressor /SOLID lzma
ManifestDPIAware true
InstallDir "$LOCALAPPDATA\Programs\Kalends"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
BrandingText "Kalends ${VERSION}"
VIProductVersion "${VERSION_4}"
VIAddVersionKey "ProductName" "Kalends"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Kalends setup"
VIAddVersionKey "LegalCopyright" "The Kalends authors"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "${PROGRAM}"
!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_COMPONENTS
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

LangString StillRunning ${LANG_ENGLISH} "Kalends is still running. Quit it, then try again."
LangString StillRunning ${LANG_GERMAN} "Kalends läuft noch. Beende es und versuche es dann noch einmal."
LangString CannotReplace ${LANG_ENGLISH} "Kalends couldn't replace its files. The earlier version is unchanged."
LangString CannotReplace ${LANG_GERMAN} "Die Dateien von Kalends lassen sich nicht ersetzen. Die bisherige Version ist unverändert."
LangString ProgramName ${LANG_ENGLISH} "Kalends"
LangString ProgramName ${LANG_GERMAN} "Kalends"
LangString DataName ${LANG_ENGLISH} "Posts, drafts and settings"
LangString DataName ${LANG_GERMAN} "Beiträge, Entwürfe und Einstellungen"
LangString NewPost ${LANG_ENGLISH} "New post"
LangString NewPost ${LANG_GERMAN} "Neuer Beitrag"
LangString Today ${LANG_ENGLISH} "Today"
LangString Today ${LANG_GERMAN} "Heute"
LangString MediaName ${LANG_ENGLISH} "Image or video"
LangString MediaName ${LANG_GERMAN} "Bild oder Video"

; Asks a running Kalends to quit through its single-instance socket, and waits until no process has its files open.
!macro QuitRunning un
  Function ${un}QuitRunning
    ${IfNot} ${FileExists} "${PROGRAM}"
      Return
    ${EndIf}
    ${Do}
      ExecWait '"${PROGRAM}" --quit' $0
      StrCpy $1 0
      ${Do}
        ClearErrors
        FileOpen $2 "${PROGRAM}" a ; Windows refuses while a process runs it, the service included
        ${IfNot} ${Errors}
          FileClose $2
          Return
        ${EndIf}
        Sleep 250
        IntOp $1 $1 + 1
      ${LoopUntil} $1 >= ${PATIENCE}
      MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(StillRunning)" /SD IDCANCEL IDRETRY again
      SetErrorLevel 2
      Quit
      again:
    ${Loop}
  FunctionEnd
!macroend
!insertmacro QuitRunning ""
!insertmacro QuitRunning "un."

!macro OpensWithKalends ending
  WriteRegStr HKCU "${CLASSES}\.${ending}\OpenWithProgids" "${MEDIA}" ""
  WriteRegStr HKCU "${CLASSES}\Applications\kalends.exe\SupportedTypes" ".${ending}" ""
!macroend

!macro OpensNoLonger ending
  DeleteRegValue HKCU "${CLASSES}\.${ending}\OpenWithProgids" "${MEDIA}"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.${ending}\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.${ending}"
!macroend

!macro ForEachEnding do
  !insertmacro ${do} jpg
  !insertmacro ${do} jpeg
  !insertmacro ${do} png
  !insertmacro ${do} gif
  !insertmacro ${do} webp
  !insertmacro ${do} heic
  !insertmacro ${do} heif
  !insertmacro ${do} avif
  !insertmacro ${do} mp4
  !insertmacro ${do} m4v
  !insertmacro ${do} mov
  !insertmacro ${do} qt
  !insertmacro ${do} webm
  !insertmacro ${do} mkv
  !insertmacro ${do} avi
!macroend

!macro TellShell
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
!macroend

; Sets the application ID of a shortcut. Without it, Windows shows no jump list for the app.
!macro SetAppId shortcut
  !insertmacro ComHlpr_CreateInProcInstance ${CLSID_ShellLink} ${IID_IShellLink} r0 ""
  ${If} $0 P<> 0
    ${IUnknown::QueryInterface} $0 '("${IID_IPersistFile}",.r1)'
    ${IUnknown::QueryInterface} $0 '("${IID_IPropertyStore}",.r2)'
    ${If} $1 P<> 0
    ${AndIf} $2 P<> 0
      ${IPersistFile::Load} $1 '("${shortcut}",${STGM_READWRITE})'
      System::Call '*${SYSSTRUCT_PROPERTYKEY}(${PKEY_AppUserModel_ID})p.r3'
      System::Call '*(&w${NSIS_MAX_STRLEN} "${APP_ID}")p.r4'
      System::Call '*${SYSSTRUCT_PROPVARIANT}()p.r5'
      ${V_SetPointer} $5 ${VT_LPWSTR} $4
      ${IPropertyStore::SetValue} $2 '($3,$5)'
      ${IPropertyStore::Commit} $2 ""
      ${IPersistFile::Save} $1 '("${shortcut}",1)'
      System::Free $3
      System::Free $4
      System::Free $5
    ${EndIf}
    ${If} $1 P<> 0
      ${IUnknown::Release} $1 ""
    ${EndIf}
    ${If} $2 P<> 0
      ${IUnknown::Release} $2 ""
    ${EndIf}
    ${IUnknown::Release} $0 ""
  ${EndIf}
!macroend

!macro DeleteJumpList
  !insertmacro ComHlpr_CreateInProcInstance ${CLSID_DestinationList} ${IID_ICustomDestinationList} r0 ""
  ${If} $0 P<> 0
    ${ICustomDestinationList::DeleteList} $0 '("${APP_ID}")'
    ${IUnknown::Release} $0 ""
  ${EndIf}
!macroend

Section "Kalends"
  Call QuitRunning
  ; A folder with an open file can't be renamed, so the earlier version stays intact.
  RMDir /r "$INSTDIR\_internal.before"
  ClearErrors
  ${If} ${FileExists} "$INSTDIR\_internal\*"
    Rename "$INSTDIR\_internal" "$INSTDIR\_internal.before"
    ${If} ${Errors}
      Goto refused
    ${EndIf}
  ${EndIf}
  Rename "${PROGRAM}" "$INSTDIR\kalends.before.exe"
  ClearErrors
  SetOverwrite try
  SetOutPath "$INSTDIR"
  File /r "${PAYLOAD}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  ${If} ${Errors} ; such as a full disk
    RMDir /r "$INSTDIR\_internal"
    Delete "${PROGRAM}"
    Rename "$INSTDIR\_internal.before" "$INSTDIR\_internal"
    Rename "$INSTDIR\kalends.before.exe" "${PROGRAM}"
    Goto refused
  ${EndIf}
  RMDir /r "$INSTDIR\_internal.before"
  Delete "$INSTDIR\kalends.before.exe"

  CreateDirectory "$SMPROGRAMS\Kalends"
  CreateShortcut "$SMPROGRAMS\Kalends\Kalends.lnk" "${PROGRAM}"
  !insertmacro SetAppId "$SMPROGRAMS\Kalends\Kalends.lnk"
  ; The tasks of the jump list, which the app creates when it first runs. Windows shows one shortcut per application ID.
  CreateShortcut "$SMPROGRAMS\Kalends\$(NewPost).lnk" "${PROGRAM}" "kalends://new"
  CreateShortcut "$SMPROGRAMS\Kalends\$(Today).lnk" "${PROGRAM}" "kalends://today"
  Delete "$SMPROGRAMS\Kalends.lnk" ; from older versions
  CreateShortcut "$SENDTO\Kalends.lnk" "${PROGRAM}"

  ; Arguments after "--" are never options, whatever a web page puts into a link.
  WriteRegStr HKCU "${CLASSES}\kalends" "" "URL:Kalends"
  WriteRegStr HKCU "${CLASSES}\kalends" "URL Protocol" ""
  WriteRegStr HKCU "${CLASSES}\kalends\DefaultIcon" "" '"${PROGRAM}",0'
  WriteRegStr HKCU "${CLASSES}\kalends\shell\open\command" "" '"${PROGRAM}" -- "%1"'
  WriteRegStr HKCU "${CLASSES}\${MEDIA}" "" "$(MediaName)"
  WriteRegStr HKCU "${CLASSES}\${MEDIA}\shell\open\command" "" '"${PROGRAM}" -- "%1"'
  WriteRegStr HKCU "${CLASSES}\Applications\kalends.exe" "FriendlyAppName" "Kalends"
  WriteRegStr HKCU "${CLASSES}\Applications\kalends.exe\shell\open\command" "" '"${PROGRAM}" -- "%1"'
  !insertmacro ForEachEnding OpensWithKalends
  WriteRegStr HKCU "${APP_PATH}" "" "${PROGRAM}"
  !insertmacro TellShell

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Kalends"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The Kalends authors"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "${PROGRAM}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" ${PAYLOAD_KB}
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1

  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/START" $1
  ${IfNot} ${Errors}
    Exec '"${PROGRAM}"'
  ${EndIf}
  Return

  refused:
  MessageBox MB_OK|MB_ICONSTOP "$(CannotReplace)" /SD IDOK
  SetErrorLevel 2
  Quit
SectionEnd

Section "un.$(ProgramName)"
  SectionIn RO
  Call un.QuitRunning
  ; Remove only installed files: the user may have chosen a folder with other files.
  RMDir /r "$INSTDIR\_internal"
  Delete "${PROGRAM}"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  RMDir /r "$SMPROGRAMS\Kalends"
  Delete "$SENDTO\Kalends.lnk"
  DeleteRegValue HKCU "${RUN}" "Kalends" ; the app's own setting
  DeleteRegKey HKCU "${CLASSES}\kalends"
  DeleteRegKey HKCU "${CLASSES}\${MEDIA}"
  DeleteRegKey HKCU "${CLASSES}\Applications\kalends.exe"
  !insertmacro ForEachEnding OpensNoLonger
  DeleteRegKey HKCU "${APP_ID_KEY}" ; from notifications
  !insertmacro DeleteJumpList
  DeleteRegKey HKCU "${APP_PATH}"
  DeleteRegKey HKCU "${UNINSTALL}"
  !insertmacro TellShell
SectionEnd

Section /o "un.$(DataName)" SectionData
  RMDir /r "${DATA}"
SectionEnd

Function un.onInit
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/DATA=" $1
  ${If} $1 == "remove"
    SectionSetFlags ${SectionData} ${SF_SELECTED}
  ${EndIf}
FunctionEnd
