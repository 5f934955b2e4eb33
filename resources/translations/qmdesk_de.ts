<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>qmdesk</name>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <location filename="../../qmdesk/desktop/activity_page.py"/>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>loading</source>
        <translation>lädt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <source>prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <source>answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{n} min {s} s</source>
        <translation>{n} min {s} s</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <location filename="../../qmdesk/desktop/message_page.py"/>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <source>Client</source>
        <translation>Client</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <source>Time, 0 to {n} s</source>
        <translation>Zeit, 0 bis {n} s</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_list.py"/>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_page.py"/>
        <source>&amp;Cancel request</source>
        <translation>Anfrage a&amp;bbrechen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_page.py"/>
        <source>No request yet: point a front end at the address above.</source>
        <translation>Noch keine Anfrage: Tragen Sie die Adresse oben in einer Oberfläche ein.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_page.py"/>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>under way</source>
        <translation>läuft</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>{client} asked {model} at {route}.</source>
        <translation>{client} hat {model} über {route} angefragt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>evicted {models}</source>
        <translation>verdrängt {models}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>somebody</source>
        <translation>Jemand</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>{client} asked for {model} at {time}.</source>
        <translation>{client} hat {model} angefordert ({time}).</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>waited</source>
        <translation>gewartet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>loaded</source>
        <translation>geladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>read the prompt</source>
        <translation>Prompt gelesen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>answered</source>
        <translation>geantwortet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>reading</source>
        <translation>liest</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>answering</source>
        <translation>antwortet</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>{n} tokens</source>
        <extracomment>1 token</extracomment>
        <translation>
            <numerusform>1 Token</numerusform>
            <numerusform>{n} Token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>{n} tokens of prompt</source>
        <extracomment>1 token of prompt</extracomment>
        <translation>
            <numerusform>1 Token im Prompt</numerusform>
            <numerusform>{n} Token im Prompt</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>Answer: {figures}</source>
        <translation>Antwort: {figures}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>{models} had to go: {why}.</source>
        <translation>Dafür entladen: {models}. Grund: {why}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>It did not start: {reason}</source>
        <translation>Es ist nicht gestartet: {reason}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>({n} of them remembered)</source>
        <translation>(davon {n} gemerkt)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>The load was given up after {time}.</source>
        <translation>Das Laden wurde nach {time} aufgegeben.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>It took {all}: {stop} for the unload, {load} for the load.</source>
        <translation>Dauer {all}: {stop} für das Entladen, {load} für das Laden.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/activity_rows.py"/>
        <source>The load took {load}.</source>
        <translation>Das Laden hat {load} gedauert.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/application.py"/>
        <source>qmdesk did not start.</source>
        <translation>qmdesk ist nicht gestartet.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>&amp;Ask</source>
        <translation>&amp;Fragen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>Progress of the load</source>
        <translation>Fortschritt des Ladens</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>Last lines of the server&apos;s log</source>
        <translation>Letzte Zeilen im Protokoll des Servers</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>Open &amp;log</source>
        <translation>&amp;Protokoll öffnen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>Open &amp;settings</source>
        <translation>&amp;Einstellungen öffnen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>Its log says more. The command can be changed in the settings; another server or another model can be chosen with Back.</source>
        <translation>Sein Protokoll sagt mehr. Der Befehl lässt sich in den Einstellungen ändern; mit „Zurück“ lässt sich ein anderer Server oder ein anderes Modell wählen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>That is all: front ends get their answers the same way.</source>
        <translation>Das ist alles: Oberflächen erhalten ihre Antworten auf demselben Weg.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>The question goes through the gateway, as a front end&apos;s would: the model is loaded for it.</source>
        <translation>Die Frage geht durch das Gateway wie die einer Oberfläche: Das Modell wird dafür geladen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>There is no model to ask yet. Go back to add one.</source>
        <translation>Noch gibt es kein Modell, das man fragen könnte. Gehen Sie zurück, um eines hinzuzufügen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/answer_page.py"/>
        <source>The question is: {question}</source>
        <translation>Die Frage lautet: {question}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/connect_page.py"/>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>API address</source>
        <translation>API-Adresse</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/connect_page.py"/>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>Copy &amp;address</source>
        <translation>&amp;Adresse kopieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/connect_page.py"/>
        <source>Start qmdesk at &amp;login</source>
        <translation>qmdesk bei der An&amp;meldung starten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/connect_page.py"/>
        <source>Any program that speaks the OpenAI or Anthropic API uses the models at this address; a model is loaded when it is asked for.</source>
        <translation>Jedes Programm, das die API von OpenAI oder Anthropic spricht, nutzt die Modelle unter dieser Adresse; ein Modell wird geladen, wenn es angefragt wird.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/connect_page.py"/>
        <source>nothing listens</source>
        <translation>es wird nirgends gelauscht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/download.py"/>
        <source>Get the &amp;demo model ({n} MB)</source>
        <translation>&amp;Demomodell holen ({n} MB)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/download.py"/>
        <source>{done} of {total} MB</source>
        <translation>{done} von {total} MB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/download.py"/>
        <source>SmolLM2 was not downloaded: {why}. A tiny model was made here instead: a real file, but it says just one sentence. Choose the demo model again to try once more.</source>
        <translation>SmolLM2 wurde nicht heruntergeladen: {why}. Stattdessen wurde hier ein winziges Modell erzeugt: eine echte Datei, die aber nur einen Satz sagt. Wählen Sie das Demomodell erneut, um es noch einmal zu versuchen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/download.py"/>
        <source>Unpacking the model…</source>
        <translation>Modell wird entpackt…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/download.py"/>
        <location filename="../../qmdesk/desktop/assistant/setup.py"/>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>{time} left</source>
        <translation>noch {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/download.py"/>
        <source>The download was cancelled; nothing of it was kept.</source>
        <translation>Das Herunterladen wurde abgebrochen; nichts davon wurde behalten.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/download.py"/>
        <source>SmolLM2 was not downloaded: {why}. A tiny model cannot be made either: {reason}.</source>
        <translation>SmolLM2 wurde nicht heruntergeladen: {why}. Auch ein winziges Modell lässt sich nicht erzeugen: {reason}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>Looking for models…</source>
        <translation>Modelle werden gesucht…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>Drop .gguf files or folders here, choose them below, or get the demo model.</source>
        <translation>Legen Sie .gguf-Dateien oder Ordner hier ab, wählen Sie sie unten aus, oder holen Sie das Demomodell.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>Models to add</source>
        <translation>Hinzuzufügende Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>Add &amp;files…</source>
        <translation>&amp;Dateien hinzufügen…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>Add a f&amp;older…</source>
        <translation>&amp;Ordner hinzufügen…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>SmolLM2-135M, a small real model, from the Python package index</source>
        <translation>SmolLM2-135M, ein kleines echtes Modell, aus dem Python-Paketindex</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>&amp;Cancel download</source>
        <translation>Herunterladen &amp;abbrechen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Choose model files</source>
        <translation>Modelldateien wählen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>Choose a folder of models</source>
        <translation>Ordner mit Modellen wählen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Models (*.gguf)</source>
        <translation>Modelle (*.gguf)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/models_page.py"/>
        <source>Models that are ticked are written into the configuration, each with a command that can be changed in the settings. Those of llama.cpp, LM Studio, Hugging Face and Jan stay where they are.</source>
        <translation>Angehakte Modelle werden in die Konfiguration geschrieben, jedes mit einem Befehl, der sich in den Einstellungen ändern lässt. Die von llama.cpp, LM Studio, Hugging Face und Jan bleiben, wo sie sind.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/server_page.py"/>
        <source>No llama-server was found. Install one (winget install llama.cpp, brew install llama.cpp, or pip install &apos;qmdesk[llama]&apos;) or choose the file of yours. Models can be added without; they start once there is one.</source>
        <translation>Es wurde kein llama-server gefunden. Installieren Sie einen (winget install llama.cpp, brew install llama.cpp oder pip install &apos;qmdesk[llama]&apos;) oder wählen Sie die Datei des Ihren. Modelle lassen sich auch ohne hinzufügen; sie starten, sobald es einen gibt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/server_page.py"/>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/server_page.py"/>
        <source>Choose a &amp;file…</source>
        <translation>&amp;Datei wählen…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/server_page.py"/>
        <source>Looking for llama-server…</source>
        <translation>llama-server wird gesucht…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/server_page.py"/>
        <source>Choose llama-server</source>
        <translation>llama-server wählen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/server_page.py"/>
        <source>qmdesk starts a server for each model and stops it when its room is needed. For .gguf models that is llama-server, of llama.cpp.</source>
        <translation>qmdesk startet für jedes Modell einen Server und beendet ihn, wenn sein Platz gebraucht wird. Für .gguf-Modelle ist das llama-server von llama.cpp.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/servers.py"/>
        <source>llama-server {version}</source>
        <translation>llama-server {version}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/servers.py"/>
        <source>{program} does not say that it is llama-server: {last}</source>
        <translation>{program} sagt nicht, dass es llama-server ist: {last}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/servers.py"/>
        <source>comes with qmdesk</source>
        <translation>liegt qmdesk bei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/servers.py"/>
        <source>{program} did not say its version within {n} s.</source>
        <translation>{program} hat seine Version nicht innerhalb von {n} s genannt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/servers.py"/>
        <source>{program} cannot be run: {reason}.</source>
        <translation>{program} lässt sich nicht ausführen: {reason}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/servers.py"/>
        <source>it ended with code {n}</source>
        <translation>es endete mit Code {n}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/setup.py"/>
        <source>{model} is being loaded, {time}</source>
        <translation>{model} wird geladen, {time}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/assistant/setup.py"/>
        <source>{n} models were added</source>
        <extracomment>1 model was added</extracomment>
        <translation>
            <numerusform>{n} Modell wurde hinzugefügt</numerusform>
            <numerusform>{n} Modelle wurden hinzugefügt</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/setup.py"/>
        <source>{model} did not answer: {reason}</source>
        <translation>{model} hat nicht geantwortet: {reason}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/setup.py"/>
        <source>There is no complete .gguf model in {places}.</source>
        <translation>In {places} gibt es kein vollständiges .gguf-Modell.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/setup.py"/>
        <source>{model} is answering, {time}</source>
        <translation>{model} antwortet, {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/setup.py"/>
        <source>Nothing was saved: {reason}</source>
        <translation>Nichts wurde gespeichert: {reason}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>&amp;Next &gt;</source>
        <translation>&amp;Weiter &gt;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>Set up qmdesk</source>
        <translation>qmdesk einrichten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>&lt; &amp;Back</source>
        <translation>&lt; &amp;Zurück</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>S&amp;kip this step</source>
        <translation>Schritt ü&amp;berspringen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>Step {n} of {of}</source>
        <translation>Schritt {n} von {of}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>&amp;Finish</source>
        <translation>&amp;Fertig</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>Add {n} models and go &amp;on</source>
        <extracomment>Add 1 model and go &amp;on</extracomment>
        <translation>
            <numerusform>{n} Modell hinzufügen und &amp;weiter</numerusform>
            <numerusform>{n} Modelle hinzufügen und &amp;weiter</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>The server</source>
        <translation>Der Server</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>The models</source>
        <translation>Die Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>The address</source>
        <translation>Die Adresse</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/assistant/window.py"/>
        <source>A first answer</source>
        <translation>Eine erste Antwort</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/commands.py"/>
        <source>the system&apos;s list</source>
        <translation>die Liste des Systems</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/commands.py"/>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>{file} cannot be written: {reason}</source>
        <translation>{file} lässt sich nicht schreiben: {reason}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <source>&amp;Test</source>
        <translation>&amp;Testen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <source>Ask the model a real question through the gateway</source>
        <translation>Dem Modell über das Gateway eine echte Frage stellen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <source>Copy &amp;key</source>
        <translation>&amp;Schlüssel kopieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <source>Asking {model}…</source>
        <translation>{model} wird gefragt…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <source>Test asks the chosen model a real question through the address.</source>
        <translation>„Testen“ stellt dem gewählten Modell über die Adresse eine echte Frage.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <source>no key is asked for</source>
        <translation>kein Schlüssel nötig</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <source>Key:</source>
        <translation>Schlüssel:</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_page.py"/>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>That did not work: {reason}</source>
        <translation>Das hat nicht geklappt: {reason}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_text.py"/>
        <source>Admin settings, Connections, OpenAI API, add a connection. In a container, write host.docker.internal instead of 127.0.0.1.</source>
        <translation>Admin Settings, Connections, OpenAI API, eine Verbindung hinzufügen. In einem Container steht host.docker.internal statt 127.0.0.1.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_text.py"/>
        <source>API connections: API is Chat Completion, source is Custom (OpenAI-compatible). Then connect and choose the model.</source>
        <translation>API Connections: API ist Chat Completion, Source ist Custom (OpenAI-compatible). Dann verbinden und das Modell wählen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_text.py"/>
        <source>Put this into ~/.continue/config.yaml.</source>
        <translation>Dies gehört in ~/.continue/config.yaml.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_text.py"/>
        <source>Settings: API provider is OpenAI Compatible.</source>
        <translation>Settings: API Provider ist OpenAI Compatible.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_text.py"/>
        <source>Put this into settings.json, and enter the key under LLM providers or as QMDESK_API_KEY in the environment.</source>
        <translation>Dies gehört in settings.json; den Schlüssel tragen Sie unter LLM Providers ein oder als QMDESK_API_KEY in der Umgebung.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_text.py"/>
        <source>Set these where you start claude. The address has no /v1 at its end.</source>
        <translation>Setzen Sie dies dort, wo Sie claude starten. Die Adresse endet nicht auf /v1.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_text.py"/>
        <source>Python, openai</source>
        <translation>Python, openai</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/connect_text.py"/>
        <source>Python, anthropic</source>
        <translation>Python, anthropic</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>Something went wrong</source>
        <translation>Etwas ist schiefgegangen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>qmdesk ended unexpectedly the last time</source>
        <translation>qmdesk wurde beim letzten Mal unerwartet beendet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>Its servers were ended with it, the configuration is as it was. The record says where it happened; add it to a report: {path}</source>
        <translation>Seine Server wurden mit beendet, die Konfiguration ist unverändert. Die Aufzeichnung sagt, wo es geschah; fügen Sie sie einem Bericht bei: {path}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>Something in the configuration is doubtful</source>
        <translation>Etwas in der Konfiguration ist zweifelhaft</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>qmdesk goes on; its log says more.</source>
        <translation>qmdesk läuft weiter; sein Protokoll sagt mehr.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>The configuration was not applied: {reason}</source>
        <translation>Die Konfiguration wurde nicht angewendet: {reason}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>Another qmdesk is started at login. Start this one instead?</source>
        <translation>Bei der Anmeldung wird ein anderes qmdesk gestartet. Stattdessen dieses starten?</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>Start this one</source>
        <translation>Dieses starten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>Keep the other</source>
        <translation>Anderes behalten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>This desktop shows no tray icon. Keep qmdesk running without one?</source>
        <translation>Dieser Desktop zeigt kein Symbol in der Taskleiste. Soll qmdesk ohne Symbol weiterlaufen?</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>Start qmdesk again to see its window.</source>
        <translation>Starten Sie qmdesk noch einmal, um sein Fenster zu sehen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <source>Keep running</source>
        <translation>Weiterlaufen lassen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/desk.py"/>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <location filename="../../qmdesk/desktop/tray_icon.py"/>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>Diagnostics</source>
        <translation>Diagnose</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>Parts</source>
        <translation>Teile</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>Text of the part</source>
        <translation>Text des Teils</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>Collecting…</source>
        <translation>Wird zusammengestellt…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>&amp;Save…</source>
        <translation>&amp;Speichern…</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>{n} parts, {kib} KiB before they are packed. Nothing is sent anywhere.</source>
        <extracomment>1 part, {kib} KiB before it is packed. Nothing is sent anywhere.</extracomment>
        <translation>
            <numerusform>{n} Teil, {kib} KiB vor dem Packen. Nichts wird irgendwohin gesendet.</numerusform>
            <numerusform>{n} Teile, {kib} KiB vor dem Packen. Nichts wird irgendwohin gesendet.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>Save diagnostics</source>
        <translation>Diagnose speichern</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>Keys, tokens, values of environment variables and your home folder&apos;s name are taken out, comments of the configuration and the texts of requests left out. What a server writes into its log stands here as it is otherwise: look it over, and untick what nobody is to see.</source>
        <translation>Schlüssel, Token, Werte von Umgebungsvariablen und der Name Ihres Benutzerordners sind entfernt, Kommentare der Konfiguration und die Texte von Anfragen weggelassen. Was ein Server in sein Protokoll schreibt, steht sonst hier, wie es ist: Sehen Sie es durch, und entfernen Sie die Haken bei dem, was niemand sehen soll.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>Archives (*.zip)</source>
        <translation>Archive (*.zip)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/diagnostics_dialog.py"/>
        <source>{path} cannot be written: {reason}</source>
        <translation>{path} lässt sich nicht schreiben: {reason}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/guides_view.py"/>
        <source>Front ends</source>
        <translation>Oberflächen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/guides_view.py"/>
        <source>What to enter</source>
        <translation>Was einzutragen ist</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/guides_view.py"/>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/guides_view.py"/>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/host_memory.py"/>
        <source>This machine&apos;s memory</source>
        <translation>Speicher dieses Rechners</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/host_memory.py"/>
        <source>other programs</source>
        <translation>andere Programme</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Show only lines that contain</source>
        <translation>Nur Zeilen zeigen mit</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Find in the lines that are shown</source>
        <translation>In den gezeigten Zeilen suchen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>F&amp;ollow</source>
        <translation>&amp;Mitlaufen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Keep the newest line in sight</source>
        <translation>Die neueste Zeile im Blick behalten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>&amp;Copy all</source>
        <translation>Alles &amp;kopieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Copy the lines that are shown</source>
        <translation>Die gezeigten Zeilen kopieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Save the lines that are shown to a file</source>
        <translation>Die gezeigten Zeilen in einer Datei speichern</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>So&amp;urce</source>
        <translation>&amp;Quelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/log_page.py"/>
        <source>Save the log</source>
        <translation>Protokoll speichern</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>&amp;Free the card</source>
        <translation>Karte &amp;freigeben</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>More (F10)</source>
        <translation>Mehr (F10)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>Set up…</source>
        <translation>Einrichten…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>Settings…</source>
        <translation>Einstellungen…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>Collect diagnostics…</source>
        <translation>Diagnose zusammenstellen…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>Unload all models and load none for a while</source>
        <translation>Alle Modelle entladen und eine Weile keines laden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <location filename="../../qmdesk/desktop/tray.py"/>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Stopping models…</source>
        <translation>Modelle werden beendet…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>&amp;Resume</source>
        <translation>F&amp;ortsetzen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>Activity</source>
        <translation>Aktivität</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <location filename="../../qmdesk/desktop/memory_bar.py"/>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Logs</source>
        <translation>Protokolle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <location filename="../../qmdesk/desktop/message_page.py"/>
        <source>Messages</source>
        <translation>Meldungen</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>{n} waiting</source>
        <extracomment>1 waiting</extracomment>
        <translation>
            <numerusform>1 wartet</numerusform>
            <numerusform>{n} warten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/main_window.py"/>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <source>{n} running</source>
        <extracomment>1 running</extracomment>
        <translation>
            <numerusform>1 läuft</numerusform>
            <numerusform>{n} laufen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_page.py"/>
        <source>No model was loaded in the last hour.</source>
        <translation>In der letzten Stunde war kein Modell geladen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_page.py"/>
        <source>The last hour</source>
        <translation>Die letzte Stunde</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_panel.py"/>
        <source>free</source>
        <translation>frei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>asleep</source>
        <translation>schläft</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>no reading</source>
        <translation>keine Messung</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>Room for models beside the others now: {size}</source>
        <translation>Platz für Modelle neben den anderen jetzt: {size}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>It is asleep, and reading it would wake it: it is read once a model starts.</source>
        <translation>Sie schläft, und eine Messung würde sie wecken: Sie wird gemessen, sobald ein Modell startet.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>{reason}. Until there is one again, only the budget counts.</source>
        <translation>{reason}. Bis es wieder eine gibt, zählt nur das Budget.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>Ours and others&apos; cannot be told apart here: only the budget counts, and no model gives way to other programs.</source>
        <translation>Unseres und das der anderen lässt sich hier nicht unterscheiden: Nur das Budget zählt, und kein Modell weicht anderen Programmen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <location filename="../../qmdesk/desktop/timeline.py"/>
        <source>{model}: {size}</source>
        <translation>{model}: {size}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>{share} busy</source>
        <translation>{share} ausgelastet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>{n} °C</source>
        <translation>{n} °C</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>{n} W</source>
        <translation>{n} W</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>Free: {size} ({share})</source>
        <translation>Frei: {size} ({share})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>Budget for models: {size}</source>
        <translation>Budget für Modelle: {size}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>not told apart</source>
        <translation>nicht unterschieden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/memory_picture.py"/>
        <source>the system and others</source>
        <translation>das System und andere</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/message_page.py"/>
        <source>Nothing to tell yet: evictions, failed starts and the like come here.</source>
        <translation>Noch keine Meldung: Hier stehen Verdrängungen, misslungene Starts und Ähnliches.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/message_page.py"/>
        <source>&amp;Open log</source>
        <translation>&amp;Protokoll öffnen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/message_page.py"/>
        <source>&amp;Load again</source>
        <translation>&amp;Wieder laden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/message_page.py"/>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/message_page.py"/>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_detail.py"/>
        <source>Not loaded since the start of qmdesk</source>
        <translation>Seit dem Start von qmdesk nicht geladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_detail.py"/>
        <source>&amp;Pin: others do not evict it</source>
        <translation>An&amp;heften: andere verdrängen es nicht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_detail.py"/>
        <source>Last loads</source>
        <translation>Letzte Ladezeiten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_detail.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <location filename="../../qmdesk/desktop/settings_window/proposal_dialog.py"/>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_detail.py"/>
        <source>Last loads, the newest {time}</source>
        <translation>Letzte Ladezeiten, die neueste {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <location filename="../../qmdesk/desktop/model_menu.py"/>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>Start</source>
        <translation>Laden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <source>{model}, {state}</source>
        <translation>{model}, {state}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <location filename="../../qmdesk/desktop/model_menu.py"/>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>Unload</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>Last use</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_list.py"/>
        <source>working</source>
        <translation>arbeitet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_memory.py"/>
        <source>{size} ({known})</source>
        <translation>{size} ({known})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_memory.py"/>
        <source>Holds {size}, {known}.</source>
        <translation>Belegt {size}, {known}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_memory.py"/>
        <source>Asked for now, it would unload {models}</source>
        <translation>Jetzt angefragt, würde es {models} entladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_memory.py"/>
        <source>What it takes is not known before it has been loaded once.</source>
        <translation>Was es braucht, ist erst bekannt, wenn es einmal geladen war.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_memory.py"/>
        <source>Takes {size}, {known}.</source>
        <translation>Braucht {size}, {known}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_memory.py"/>
        <source>Asked for now, it would be refused: {why}.</source>
        <translation>Jetzt angefragt, würde es abgelehnt: {why}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_memory.py"/>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_menu.py"/>
        <source>Restart</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_menu.py"/>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_menu.py"/>
        <source>Other models do not evict it</source>
        <translation>Andere Modelle verdrängen es nicht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_menu.py"/>
        <source>Copy model name</source>
        <translation>Modellnamen kopieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_menu.py"/>
        <source>Show log</source>
        <translation>Protokoll zeigen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/model_menu.py"/>
        <source>Open its page</source>
        <translation>Seite des Servers öffnen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>No models yet. Set up finds those of this machine, or fetches a small one to try; what is added to the configuration appears here.</source>
        <translation>Noch keine Modelle. „Einrichten“ findet die auf diesem Rechner oder holt ein kleines zum Ausprobieren; was der Konfiguration hinzugefügt wird, erscheint hier.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>No models: the configuration cannot be used as it is. The settings show the place; once it is mended, the models appear here.</source>
        <translation>Keine Modelle: Die Konfiguration ist so nicht zu gebrauchen. Die Einstellungen zeigen die Stelle; sobald sie behoben ist, erscheinen die Modelle hier.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>Set &amp;up…</source>
        <translation>&amp;Einrichten…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>Settin&amp;gs…</source>
        <translation>Ei&amp;nstellungen…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>&amp;Start</source>
        <translation>&amp;Laden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>&amp;Unload</source>
        <translation>&amp;Entladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>R&amp;estart</source>
        <translation>&amp;Neu starten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>Show &amp;log</source>
        <translation>&amp;Protokoll zeigen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>&amp;Copy name</source>
        <translation>Namen &amp;kopieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <source>U&amp;nload all</source>
        <translation>Alle en&amp;tladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>just now</source>
        <translation>gerade eben</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/models_page.py"/>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>{model}: {reason}</source>
        <translation>{model}: {reason}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{addresses} can be used without a key. Set apiKeys, or listen on 127.0.0.1 only.</source>
        <translation>Ohne Schlüssel nutzbar: {addresses}. Setzen Sie apiKeys, oder lauschen Sie nur auf 127.0.0.1.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{size} came back.</source>
        <translation>{size} wurden frei.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{n} models were unloaded</source>
        <extracomment>1 model was unloaded</extracomment>
        <translation>
            <numerusform>1 Modell wurde entladen</numerusform>
            <numerusform>{n} Modelle wurden entladen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{models} were unloaded for {target}</source>
        <extracomment>{models} was unloaded for {target}</extracomment>
        <translation>
            <numerusform>{models} wurde für {target} entladen</numerusform>
            <numerusform>{models} wurden für {target} entladen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{model} was unloaded: {why}</source>
        <translation>{model} wurde entladen: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>It is loaded again when it is asked for.</source>
        <translation>Es wird wieder geladen, wenn es angefragt wird.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>Other machines get in without a key</source>
        <translation>Andere Rechner haben ohne Schlüssel Zugang</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{reason}. Its models are asked of other peers that have them; it is looked at again now and then.</source>
        <translation>{reason}. Seine Modelle werden bei anderen Peers angefragt, die sie haben; nach ihm wird ab und zu wieder gesehen.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>It offers {n} models.</source>
        <extracomment>It offers 1 model.</extracomment>
        <translation>
            <numerusform>Er bietet {n} Modell an.</numerusform>
            <numerusform>Er bietet {n} Modelle an.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{models}, for {targets}.</source>
        <translation>{models}, für {targets}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>That did not work</source>
        <translation>Das hat nicht geklappt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{model} was unloaded</source>
        <translation>{model} wurde entladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>other programs need the memory</source>
        <translation>andere Programme brauchen den Speicher</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{model} did not start</source>
        <translation>{model} ist nicht gestartet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>The configuration was not applied</source>
        <translation>Die Konfiguration wurde nicht angewendet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>The changed configuration is in force</source>
        <translation>Die geänderte Konfiguration gilt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>Peer {peer} does not answer</source>
        <translation>Peer {peer} antwortet nicht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>Peer {peer} answers again</source>
        <translation>Peer {peer} antwortet wieder</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{unloaded}: {why}</source>
        <translation>{unloaded}: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>{models}: they are loaded again when they are asked for.</source>
        <translation>{models}: Sie werden wieder geladen, wenn sie angefragt werden.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>(asked by {client})</source>
        <translation>(angefordert von {client})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>The server ended without a word.</source>
        <translation>Der Server endete ohne ein Wort.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>and {n} more problems</source>
        <extracomment>and 1 more problem</extracomment>
        <translation>
            <numerusform>und 1 weiteres Problem</numerusform>
            <numerusform>und {n} weitere Probleme</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>and {n} more changes</source>
        <extracomment>and 1 more change</extracomment>
        <translation>
            <numerusform>und 1 weitere Änderung</numerusform>
            <numerusform>und {n} weitere Änderungen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>Open log</source>
        <translation>Protokoll öffnen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/notification_text.py"/>
        <source>Load again</source>
        <translation>Wieder laden</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/pause_menu.py"/>
        <source>{n} hours</source>
        <extracomment>1 hour</extracomment>
        <translation>
            <numerusform>1 Stunde</numerusform>
            <numerusform>{n} Stunden</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/pause_menu.py"/>
        <source>{n} minutes</source>
        <translation>{n} Minuten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/pause_menu.py"/>
        <source>Free the card</source>
        <translation>Karte freigeben</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/pause_menu.py"/>
        <source>Until I resume</source>
        <translation>Bis ich fortsetze</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/pause_menu.py"/>
        <source>Until {program} ends</source>
        <translation>Bis {program} endet</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/peer_list.py"/>
        <source>Peer {peer}: {n} models</source>
        <extracomment>Peer {peer}: 1 model</extracomment>
        <translation>
            <numerusform>Peer {peer}: {n} Modell</numerusform>
            <numerusform>Peer {peer}: {n} Modelle</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/peer_list.py"/>
        <source>Peer {peer}: not looked at yet</source>
        <translation>Peer {peer}: noch nicht angesehen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/peer_list.py"/>
        <source>Peer {peer}: does not answer: {reason}</source>
        <translation>Peer {peer}: antwortet nicht: {reason}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/peer_list.py"/>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Peers</source>
        <translation>Peers</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/profile_menu.py"/>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/profile_menu.py"/>
        <source>None</source>
        <translation>Keines</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/rail.py"/>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/reasons.py"/>
        <source>learned</source>
        <translation>gelernt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/reasons.py"/>
        <source>configured</source>
        <translation>konfiguriert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/reasons.py"/>
        <source>computed</source>
        <translation>berechnet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/reasons.py"/>
        <source>not known</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/api_keys.py"/>
        <source>the key is not in the file any more</source>
        <translation>der Schlüssel steht nicht mehr in der Datei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/api_keys.py"/>
        <source>may operate the gateway</source>
        <translation>darf das Gateway bedienen</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/settings_window/api_keys.py"/>
        <source>{n} models only</source>
        <extracomment>1 model only</extracomment>
        <translation>
            <numerusform>nur {n} Modell</numerusform>
            <numerusform>nur {n} Modelle</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/apply_dialog.py"/>
        <source>Apply the changes</source>
        <translation>Änderungen anwenden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/apply_dialog.py"/>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/settings_window/apply_dialog.py"/>
        <source>{n} changes take effect:</source>
        <extracomment>1 change takes effect:</extracomment>
        <translation>
            <numerusform>1 Änderung tritt in Kraft:</numerusform>
            <numerusform>{n} Änderungen treten in Kraft:</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/apply_dialog.py"/>
        <source>Nothing changes for requests; only the text of the file is another.</source>
        <translation>Für Anfragen ändert sich nichts; nur der Text der Datei ist ein anderer.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/apply_dialog.py"/>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>&amp;Apply</source>
        <translation>&amp;Anwenden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/arguments_edit.py"/>
        <source>There is no flag {flag}; did you mean {near}?</source>
        <translation>Einen Schalter {flag} gibt es nicht; meinten Sie {near}?</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/arguments_edit.py"/>
        <source>There is no flag {flag}.</source>
        <translation>Einen Schalter {flag} gibt es nicht.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Name of the peer</source>
        <translation>Name des Peers</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Other gateways and services whose models are offered here too, as PEER/MODEL. Where several offer the same model, they stand in for each other in this order.</source>
        <translation>Andere Gateways und Dienste, deren Modelle hier mit angeboten werden, als PEER/MODELL. Wo mehrere dasselbe Modell anbieten, springen sie in dieser Reihenfolge füreinander ein.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Selectors</source>
        <translation>Selektoren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Name of the selector</source>
        <translation>Name des Selektors</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>A selector is a name that clients ask for as if it were a model; each request goes to one of its targets.</source>
        <translation>Ein Selektor ist ein Name, nach dem Clients wie nach einem Modell fragen; jede Anfrage geht an eines seiner Ziele.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Profiles</source>
        <translation>Profile</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Name of the profile</source>
        <translation>Name des Profils</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>While a profile is on (tray menu, HTTP), the names in it mean other models. A line is NAME: MODEL; without a model the name is switched off.</source>
        <translation>Solange ein Profil an ist (Tray-Menü, HTTP), bedeuten die Namen darin andere Modelle. Eine Zeile ist NAME: MODELL; ohne Modell ist der Name abgeschaltet.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Parameters by requested name</source>
        <translation>Parameter je nach angefragtem Namen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Requested name</source>
        <translation>Angefragter Name</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Further names for it, each setting parameters of its own, such as one that thinks and one that does not.</source>
        <translation>Weitere Namen dafür, die jeweils eigene Parameter setzen, etwa einer, der nachdenkt, und einer, der es nicht tut.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Where and what</source>
        <translation>Wo und was</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Limits</source>
        <translation>Grenzen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Changes to its requests</source>
        <translation>Änderungen an seinen Anfragen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Which model gets a request</source>
        <translation>Welches Modell eine Anfrage bekommt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>For people</source>
        <translation>Für Menschen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Address (URL)</source>
        <translation>Adresse (URL)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Key that it asks for</source>
        <translation>Schlüssel, den er verlangt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Its models</source>
        <translation>Seine Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Longest wait to connect, seconds</source>
        <translation>Verbindung höchstens, Sekunden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Longest wait to answer, seconds</source>
        <translation>Antwort höchstens, Sekunden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Parameters removed</source>
        <translation>Entfernte Parameter</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Parameters set</source>
        <translation>Gesetzte Parameter</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Takes</source>
        <translation>Nimmt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Targets, best first</source>
        <translation>Ziele, das beste zuerst</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Requests before the next one</source>
        <translation>Anfragen, bevor das nächste startet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Display name</source>
        <translation>Anzeigename</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Description</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Kept out of the list of models</source>
        <translation>Nicht in der Liste der Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Metadata</source>
        <translation>Metadaten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>What names mean</source>
        <translation>Was Namen bedeuten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries.py"/>
        <source>Set where this name was asked for, after those above.</source>
        <translation>Gesetzt, wo nach diesem Namen gefragt wurde, nach den obigen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries_view.py"/>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>Move up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries_view.py"/>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>Move down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries_view.py"/>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Add: {what}</source>
        <translation>Hinzufügen: {what}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries_view.py"/>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Remove: {what}</source>
        <translation>Entfernen: {what}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries_view.py"/>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries_view.py"/>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/proposal_dialog.py"/>
        <source>&amp;Add</source>
        <translation>&amp;Hinzufügen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries_view.py"/>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries_view.py"/>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>Re&amp;move</source>
        <translation>Entfe&amp;rnen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/entries_view.py"/>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/proposal_dialog.py"/>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <source>as reasoning text</source>
        <translation>als Denktext</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <source>after tool calls</source>
        <translation>nach Werkzeugaufrufen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <source>after every request</source>
        <translation>nach jeder Anfrage</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <source>what is loaded, else the first</source>
        <translation>was geladen ist, sonst das erste</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <source>always the first</source>
        <translation>immer das erste</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <source>the next one when the others are busy</source>
        <translation>das nächste, wenn die anderen zu tun haben</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>the system&apos;s</source>
        <translation>die des Systems</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <location filename="../../qmdesk/desktop/settings_window/parameter_lines.py"/>
        <source>Each line is NAME: VALUE; this one is not: {line}</source>
        <translation>Jede Zeile lautet NAME: WERT; diese nicht: {line}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field.py"/>
        <location filename="../../qmdesk/desktop/settings_window/parameter_lines.py"/>
        <source>{name} stands here twice</source>
        <translation>{name} steht hier zweimal</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field_editor.py"/>
        <source>Changed; the file says something else</source>
        <translation>Geändert; in der Datei steht etwas anderes</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field_editor.py"/>
        <source>{field} has changed</source>
        <translation>{field} ist geändert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field_editor.py"/>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field_editor.py"/>
        <source>Reset {field}</source>
        <translation>{field} zurücksetzen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field_editor.py"/>
        <source>Back to what the file says</source>
        <translation>Zurück zu dem, was in der Datei steht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field_editor.py"/>
        <source>default ({value})</source>
        <translation>Vorgabe ({value})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field_editor.py"/>
        <source>default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field_editor.py"/>
        <source>please choose</source>
        <translation>bitte wählen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/field_editor.py"/>
        <source>Written as {value}; change it in the text</source>
        <translation>Steht als {value} da; ändern Sie es im Text</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>One member at a time</source>
        <translation>Immer nur ein Mitglied</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Evicts other groups</source>
        <translation>Verdrängt andere Gruppen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Never evicted by other groups</source>
        <translation>Wird von anderen Gruppen nie verdrängt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Row: the model asked for. Column: a loaded model; a disc means it stays.</source>
        <translation>Zeile: das angeforderte Modell. Spalte: ein geladenes Modell; eine Scheibe heißt, dass es bleibt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Groups</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Add a group</source>
        <translation>Gruppe hinzufügen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Remove the group</source>
        <translation>Gruppe entfernen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Members of the group</source>
        <translation>Mitglieder der Gruppe</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Name of the group</source>
        <translation>Name der Gruppe</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>M&amp;embers</source>
        <translation>M&amp;itglieder</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Who may run together</source>
        <translation>Wer zusammen laufen darf</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Sets: who may run together</source>
        <translation>Mengen: wer zusammen laufen darf</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Short names</source>
        <translation>Kurznamen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>Prices of evicting</source>
        <translation>Preise des Verdrängens</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <source>{n} more models are not shown.</source>
        <extracomment>1 more model is not shown.</extracomment>
        <translation>
            <numerusform>1 weiteres Modell ist nicht gezeigt.</numerusform>
            <numerusform>{n} weitere Modelle sind nicht gezeigt.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/groups_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/name_button.py"/>
        <source>No models yet.</source>
        <translation>Noch keine Modelle.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>Earlier versions</source>
        <translation>Frühere Fassungen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>Versions, newest first</source>
        <translation>Fassungen, die neueste zuerst</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>&amp;Restore</source>
        <translation>&amp;Wiederherstellen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>Puts this version into the window; Apply puts it in force</source>
        <translation>Holt diese Fassung in das Fenster; „Anwenden“ setzt sie in Kraft</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>until {time}</source>
        <translation>bis {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>When it is restored, lines with - go and lines with + come.</source>
        <translation>Beim Wiederherstellen gehen die Zeilen mit -, und die Zeilen mit + kommen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>There are no earlier versions yet. Each Apply keeps the one before it.</source>
        <translation>Es gibt noch keine früheren Fassungen. Jedes „Anwenden“ behält die vorige.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>This version cannot be read: {why}</source>
        <translation>Diese Fassung lässt sich nicht lesen: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/history_dialog.py"/>
        <source>Nothing is different.</source>
        <translation>Nichts ist anders.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Make a new one</source>
        <translation>Neuen erzeugen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>May operate the gateway, from anywhere</source>
        <translation>Darf das Gateway bedienen, von überall</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>API keys</source>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Whose it is</source>
        <translation>Wem er gehört</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>shown in the log and among the requests</source>
        <translation>steht im Protokoll und bei den Anfragen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>A random key that nobody can guess</source>
        <translation>Ein zufälliger Schlüssel, den niemand errät</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Without it, operating takes this machine or one of the networks that may.</source>
        <translation>Ohne das lässt es sich nur von diesem Rechner und aus den erlaubten Netzen bedienen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Models that it may use</source>
        <translation>Modelle, die er nutzen darf</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Without any key, everybody who reaches the gateway may use it. With keys, each request to a model must bring one of them.</source>
        <translation>Ohne Schlüssel darf jeder das Gateway nutzen, der es erreicht. Mit Schlüsseln muss jede Anfrage an ein Modell einen davon mitbringen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>&amp;Key</source>
        <translation>&amp;Schlüssel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>&amp;Whose it is</source>
        <translation>Wem er &amp;gehört</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Models that &amp;it may use</source>
        <translation>Modelle, die er n&amp;utzen darf</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/keys_page.py"/>
        <source>Without a tick it may use all of them.</source>
        <translation>Ohne Haken darf er alle nutzen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/merge_dialog.py"/>
        <source>Both sides changed the same place</source>
        <translation>Beide Seiten haben dieselbe Stelle geändert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/merge_dialog.py"/>
        <source>The file was changed by another program in places that you have changed too. Choose for each; everything else is merged.</source>
        <translation>Ein anderes Programm hat die Datei an Stellen geändert, die auch Sie geändert haben. Wählen Sie für jede; alles Übrige wird zusammengeführt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/merge_dialog.py"/>
        <source>&amp;Merge</source>
        <translation>&amp;Zusammenführen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/merge_dialog.py"/>
        <source>At line {n}</source>
        <translation>In Zeile {n}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/merge_dialog.py"/>
        <source>Mine</source>
        <translation>Meins</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/merge_dialog.py"/>
        <source>In the file</source>
        <translation>In der Datei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/merge_dialog.py"/>
        <source>(nothing)</source>
        <translation>(nichts)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>Add from &amp;file…</source>
        <translation>Aus Da&amp;tei…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>D&amp;uplicate</source>
        <translation>Du&amp;plizieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>No models yet. Drop a .gguf file here, choose one with “Add from file…”, or write one with “Add”.</source>
        <translation>Noch keine Modelle. Ziehen Sie eine .gguf-Datei hierher, wählen Sie eine mit „Aus Datei…“, oder schreiben Sie eines mit „Hinzufügen“.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>Name of the model</source>
        <translation>Name des Modells</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>The name that requests use; renamed wherever the file uses it</source>
        <translation>Der Name, den Anfragen nennen; er wird überall in der Datei umbenannt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>Alt+Up</source>
        <translation>Alt+Pfeil auf</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>Alt+Down</source>
        <translation>Alt+Pfeil ab</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>The command with its macros replaced</source>
        <translation>Der Befehl mit ersetzten Makros</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>&amp;Group</source>
        <translation>&amp;Gruppe</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>{group}, in another file</source>
        <translation>{group}, in einer anderen Datei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>{port}, or the next free one</source>
        <translation>{port} oder der nächste freie</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>No command: an external server, which is never started or stopped</source>
        <translation>Kein Befehl: ein fremder Server, der nie gestartet oder beendet wird</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/models_page.py"/>
        <source>none: one model at a time</source>
        <translation>keine: immer nur ein Modell</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/name_button.py"/>
        <source>Insert a name</source>
        <translation>Einen Namen einfügen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Groups and matrix</source>
        <translation>Gruppen und Matrix</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Network and access</source>
        <translation>Netz und Zugang</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Notifications</source>
        <translation>Mitteilungen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Advanced</source>
        <translation>Erweitert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Server</source>
        <translation>Server</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Use</source>
        <translation>Nutzung</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Addresses</source>
        <translation>Adressen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Loading and unloading</source>
        <translation>Laden und Entladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Windows</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Video memory</source>
        <translation>Grafikspeicher</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>When other programs need it</source>
        <translation>Wenn andere Programme Speicher brauchen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Conversations kept on disk</source>
        <translation>Gespräche auf der Platte behalten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Who gets in</source>
        <translation>Wer Zugang hat</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>HTTPS</source>
        <translation>HTTPS</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Tell me when</source>
        <translation>Melden, wenn</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Everything else</source>
        <translation>Alles Übrige</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Environment</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Working folder</source>
        <translation>Arbeitsordner</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Ready when this answers</source>
        <translation>Bereit, wenn dies antwortet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Server&apos;s address</source>
        <translation>Adresse des Servers</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Stop command</source>
        <translation>Befehl zum Beenden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Macros of its own</source>
        <translation>Eigene Makros</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Start limit, seconds</source>
        <translation>Startgrenze, Sekunden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Unload when idle for, seconds</source>
        <translation>Entladen nach, Sekunden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Requests at once</source>
        <translation>Anfragen zugleich</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Never evicted for others</source>
        <translation>Wird nie für andere verdrängt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Aliases</source>
        <translation>Aliasnamen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Name for its server</source>
        <translation>Name für seinen Server</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Tell waiting clients of a load</source>
        <translation>Clients das Laden melden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Video memory, GB</source>
        <translation>Grafikspeicher, GB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Context, tokens</source>
        <translation>Kontext, Token</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Listen on</source>
        <translation>Lauschen auf</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Load at the start</source>
        <translation>Beim Start laden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Model for requests without one</source>
        <translation>Modell, wenn keines genannt ist</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Model for unknown names</source>
        <translation>Modell für unbekannte Namen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Level</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>To the terminal</source>
        <translation>Im Terminal</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Time stamps</source>
        <translation>Zeitstempel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>For all models together, GB</source>
        <translation>Für alle Modelle zusammen, GB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Left free for others, GB</source>
        <translation>Frei für andere, GB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Least share on the card</source>
        <translation>Kleinster Anteil auf der Karte</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Unload idle models</source>
        <translation>Ungenutzte Modelle entladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>After a shortage of, seconds</source>
        <translation>Dauer des Engpasses, Sekunden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Keep them across evictions</source>
        <translation>Beim Verdrängen behalten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>At most, GB</source>
        <translation>Höchstens, GB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>At most, conversations</source>
        <translation>Höchstens, Gespräche</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Not below, tokens</source>
        <translation>Nicht unter, Token</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Also system prompts that are shared</source>
        <translation>Auch gemeinsame Systemprompts</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Also for recurrent models</source>
        <translation>Auch für rekurrente Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Web origins</source>
        <translation>Web-Ursprünge</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>More host names</source>
        <translation>Weitere Rechnernamen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Networks that may operate it</source>
        <translation>Netze, die es bedienen dürfen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Trusted proxies</source>
        <translation>Vertraute Proxys</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Certificate (PEM)</source>
        <translation>Zertifikat (PEM)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Private key (PEM)</source>
        <translation>Privater Schlüssel (PEM)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Largest request, MB</source>
        <translation>Größte Anfrage, MB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Longest wait, seconds</source>
        <translation>Längste Wartezeit, Sekunden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>Paths that load no model</source>
        <translation>Pfade, die kein Modell laden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>a model was unloaded for another one</source>
        <translation>ein Modell für ein anderes entladen wurde</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>models made room for other programs</source>
        <translation>Modelle anderen Programmen Platz machten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>a model could not be started</source>
        <translation>ein Modell nicht gestartet werden konnte</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>a changed configuration has mistakes</source>
        <translation>eine geänderte Konfiguration Fehler hat</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>a change from outside is in force</source>
        <translation>eine Änderung von außen gilt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>other machines get in without a key</source>
        <translation>andere Rechner ohne Schlüssel Zugang haben</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/pages.py"/>
        <source>a peer does not answer, or answers again</source>
        <translation>ein Peer antwortet nicht, oder wieder</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/parameter_lines.py"/>
        <source>The value cannot be read: {line}</source>
        <translation>Der Wert ist nicht zu lesen: {line}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/peer_models_edit.py"/>
        <source>All that it lists itself</source>
        <translation>Alle, die er selbst aufführt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/peer_models_edit.py"/>
        <source>one name a line</source>
        <translation>ein Name je Zeile</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/settings_window/plan_words.py"/>
        <source>{model} is loaded and will be stopped; {n} requests in flight finish first ({limit} at most)</source>
        <extracomment>{model} is loaded and will be stopped; 1 request in flight finishes first ({limit} at most)</extracomment>
        <translation>
            <numerusform>{model} ist geladen und wird beendet; 1 laufende Anfrage wird vorher fertig (höchstens {limit})</numerusform>
            <numerusform>{model} ist geladen und wird beendet; {n} laufende Anfragen werden vorher fertig (höchstens {limit})</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/settings_window/plan_words.py"/>
        <source>{model} is loaded and goes on as it is until its next start; {n} requests in flight are not disturbed</source>
        <extracomment>{model} is loaded and goes on as it is until its next start; 1 request in flight is not disturbed</extracomment>
        <translation>
            <numerusform>{model} ist geladen und bleibt bis zum nächsten Start, wie es ist; 1 laufende Anfrage wird nicht gestört</numerusform>
            <numerusform>{model} ist geladen und bleibt bis zum nächsten Start, wie es ist; {n} laufende Anfragen werden nicht gestört</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/plan_words.py"/>
        <source>{model} is loaded and will be stopped</source>
        <translation>{model} ist geladen und wird beendet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/plan_words.py"/>
        <source>{model} is loaded and goes on as it is until its next start</source>
        <translation>{model} ist geladen und bleibt bis zum nächsten Start, wie es ist</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/settings_window/plan_words.py"/>
        <source>{n} changes</source>
        <extracomment>1 change</extracomment>
        <translation>
            <numerusform>1 Änderung</numerusform>
            <numerusform>{n} Änderungen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/plan_words.py"/>
        <source>{count}: {first}</source>
        <translation>{count}: {first}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/plan_words.py"/>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{n} s</source>
        <translation>{n} s</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/settings_window/plan_words.py"/>
        <source>{names} stop</source>
        <extracomment>{names} stops</extracomment>
        <translation>
            <numerusform>{names} wird beendet</numerusform>
            <numerusform>{names} werden beendet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/settings_window/plan_words.py"/>
        <source>{names} go on as they are until their next start</source>
        <extracomment>{names} goes on as it is until its next start</extracomment>
        <translation>
            <numerusform>{names} bleibt bis zum nächsten Start, wie es ist</numerusform>
            <numerusform>{names} bleiben bis zum nächsten Start, wie sie sind</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/proposal.py"/>
        <source>Parts of it are missing: {names}.</source>
        <translation>Teile davon fehlen: {names}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/proposal.py"/>
        <source>No llama-server was found; write the path of yours in its place.</source>
        <translation>Kein llama-server gefunden; schreiben Sie stattdessen den Pfad des Ihren.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/proposal_dialog.py"/>
        <source>Add a model</source>
        <translation>Modell hinzufügen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/proposal_dialog.py"/>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/proposal_dialog.py"/>
        <source>&amp;Command</source>
        <translation>&amp;Befehl</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/proposal_dialog.py"/>
        <source>A model needs a name.</source>
        <translation>Ein Modell braucht einen Namen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/proposal_dialog.py"/>
        <source>There is a model {name} already; choose another name.</source>
        <translation>Ein Modell {name} gibt es schon; wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>The configuration is being read.</source>
        <translation>Die Konfiguration wird gelesen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>The configuration cannot be read: {why}.</source>
        <translation>Die Konfiguration lässt sich nicht lesen: {why}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>The file has line separators that the editor here cannot keep. Change it in another editor; what is saved there is applied.</source>
        <translation>Die Datei hat Zeilentrenner, die dieser Editor nicht behalten kann. Ändern Sie sie in einem anderen Editor; was dort gespeichert wird, wird angewendet.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>The text was changed meanwhile; try again.</source>
        <translation>Der Text wurde inzwischen geändert; versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>The file mixes kinds of line ends; saving makes them all the same.</source>
        <translation>Die Datei mischt verschiedene Zeilenenden; beim Speichern werden alle gleich.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>There is no configuration file in {folder} yet. Put one there to edit it here.</source>
        <translation>In {folder} gibt es noch keine Konfigurationsdatei. Legen Sie dort eine ab, um sie hier zu bearbeiten.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>There is no configuration file: qmdesk was started without one. Start it with --config FILE to edit it here.</source>
        <translation>Es gibt keine Konfigurationsdatei: qmdesk wurde ohne gestartet. Starten Sie es mit --config DATEI, um sie hier zu bearbeiten.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>line {n}</source>
        <translation>Zeile {n}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>This cannot be changed here: {why}.</source>
        <translation>Das lässt sich hier nicht ändern: {why}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/session.py"/>
        <source>The text cannot be read ({where}: {why}); mend it first.</source>
        <translation>Der Text lässt sich nicht lesen ({where}: {why}); berichtigen Sie ihn zuerst.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/together.py"/>
        <source>{loaded} is unloaded when {asked} is asked for</source>
        <translation>{loaded} wird entladen, wenn nach {asked} gefragt wird</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/together.py"/>
        <source>{loaded} stays loaded when {asked} is asked for</source>
        <translation>{loaded} bleibt geladen, wenn nach {asked} gefragt wird</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Me&amp;rge…</source>
        <translation>&amp;Zusammenführen…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>&amp;Take the file&apos;s</source>
        <translation>&amp;Datei übernehmen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>&amp;Restore them</source>
        <translation>Wiederherste&amp;llen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>&amp;Discard them</source>
        <translation>Verwer&amp;fen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Show f&amp;orm</source>
        <translation>F&amp;ormular zeigen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Show te&amp;xt</source>
        <translation>Te&amp;xt zeigen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>&amp;History…</source>
        <translation>&amp;Verlauf…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Re&amp;vert</source>
        <translation>Ver&amp;werfen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>A&amp;pply…</source>
        <translation>Anw&amp;enden…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>The file was changed by another program. Merge brings both together; nothing of yours is lost.</source>
        <translation>Ein anderes Programm hat die Datei geändert. „Zusammenführen“ vereint beides; von Ihren Änderungen geht nichts verloren.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Merged. Look it over and apply.</source>
        <translation>Zusammengeführt. Sehen Sie es durch, und wenden Sie es an.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>There are unsaved changes from {time}.</source>
        <translation>Es gibt nicht gespeicherte Änderungen von {time}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>There are changes that have not been applied.</source>
        <translation>Es gibt Änderungen, die nicht angewendet sind.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Apply puts them in force; without it they are forgotten.</source>
        <translation>„Anwenden“ setzt sie in Kraft; sonst werden sie vergessen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>&amp;Discard</source>
        <translation>&amp;Verwerfen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>File that is edited</source>
        <translation>Bearbeitete Datei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Restored. Look it over and apply.</source>
        <translation>Wiederhergestellt. Bitte durchsehen und anwenden.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Line {n}: {message}</source>
        <translation>Zeile {n}: {message}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>{file}: {what}</source>
        <translation>{file}: {what}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Nothing to apply.</source>
        <translation>Nichts anzuwenden.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Not applied: {why}</source>
        <translation>Nicht angewendet: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Not saved: {why}. Nothing has changed.</source>
        <translation>Nicht gespeichert: {why}. Nichts hat sich geändert.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>{n} mistakes to mend first.</source>
        <extracomment>1 mistake to mend first.</extracomment>
        <translation>
            <numerusform>Erst 1 Fehler zu berichtigen.</numerusform>
            <numerusform>Erst {n} Fehler zu berichtigen.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/window.py"/>
        <source>Only the text of the file changes.</source>
        <translation>Nur der Text der Datei ändert sich.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/settings_window/yaml_pane.py"/>
        <source>Configuration as text</source>
        <translation>Konfiguration als Text</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/sparkline.py"/>
        <source>none yet</source>
        <translation>noch keine</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/timeline.py"/>
        <source>Other programs held {size} of {card} from {time} on, for {length}</source>
        <translation>Andere Programme belegten {size} von {card} ab {time}, {length} lang</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/timeline.py"/>
        <source>Other programs</source>
        <translation>Andere Programme</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/timeline.py"/>
        <source>{model} was loading from {time} on, for {length}</source>
        <translation>{model} lud ab {time}, {length} lang</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/timeline.py"/>
        <source>{model} was loaded from {time} on, for {length}</source>
        <translation>{model} war ab {time} geladen, {length} lang</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/timeline.py"/>
        <source>Others on card {n}</source>
        <translation>Andere auf Karte {n}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/timeline_view.py"/>
        <source>Models and other programs in the last hour</source>
        <translation>Modelle und andere Programme in der letzten Stunde</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/timeline_view.py"/>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/timeline_view.py"/>
        <source>{n} min ago</source>
        <translation>vor {n} min</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_icon.py"/>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>Starting…</source>
        <translation>Startet…</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>More models</source>
        <translation>Weitere Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>Unload all</source>
        <translation>Alle entladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>Copy API address</source>
        <translation>API-Adresse kopieren</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>Open qmdesk</source>
        <translation>qmdesk öffnen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>Start at login</source>
        <translation>Bei der Anmeldung starten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_menu.py"/>
        <source>Quit now</source>
        <translation>Sofort beenden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Paused until you resume</source>
        <translation>Pausiert, bis Sie fortsetzen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>not loaded</source>
        <translation>nicht geladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Paused until {time}</source>
        <translation>Pausiert bis {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Paused until {program} ends</source>
        <translation>Pausiert, bis {program} endet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Loading {model}, {state}</source>
        <translation>{model} lädt, {state}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>{n} models loaded</source>
        <extracomment>1 model loaded</extracomment>
        <translation>
            <numerusform>1 Modell geladen</numerusform>
            <numerusform>{n} Modelle geladen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>No model loaded</source>
        <translation>Kein Modell geladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>{model} runs as before until its next start</source>
        <translation>{model} läuft wie bisher bis zum nächsten Start</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Served by {address}</source>
        <translation>Bedient von {address}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Did not start: {reason}</source>
        <translation>Nicht gestartet: {reason}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>{n} requests</source>
        <extracomment>1 request</extracomment>
        <translation>
            <numerusform>1 Anfrage</numerusform>
            <numerusform>{n} Anfragen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>runs as before until its next start</source>
        <translation>läuft wie bisher bis zum nächsten Start</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>unloading</source>
        <translation>wird entladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>{n} requests running</source>
        <extracomment>1 request running</extracomment>
        <translation>
            <numerusform>1 Anfrage läuft</numerusform>
            <numerusform>{n} Anfragen laufen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Loading {model}</source>
        <translation>{model} lädt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>No models yet</source>
        <translation>Noch keine Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>{n} run as before until their next start</source>
        <translation>{n} laufen wie bisher bis zum nächsten Start</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Unloading {model}</source>
        <translation>{model} wird entladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>Loading {n} models</source>
        <translation>{n} Modelle laden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>since {time}</source>
        <translation>seit {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>loaded since {time}</source>
        <translation>geladen seit {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/tray_state.py"/>
        <source>last used {time}</source>
        <translation>zuletzt genutzt {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/trial.py"/>
        <source>first word after {time}</source>
        <translation>erstes Wort nach {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/trial.py"/>
        <source>all of it after {time}</source>
        <translation>alles nach {time}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/trial.py"/>
        <source>{model} answered without a word.</source>
        <translation>{model} hat ohne ein Wort geantwortet.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/trial.py"/>
        <source>the model was loaded for it</source>
        <translation>das Modell wurde dafür geladen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{n} days</source>
        <translation>{n} d</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{n} tok/s</source>
        <translation>{n} Tok/s</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{n} MiB</source>
        <translation>{n} MiB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{part} of {whole} MiB</source>
        <translation>{part} von {whole} MiB</translation>
    </message>
    <message numerus="yes">
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{names} and {n} more</source>
        <extracomment>{names} and 1 more</extracomment>
        <translation>
            <numerusform>{names} und noch 1</numerusform>
            <numerusform>{names} und noch {n}</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{first} and {last}</source>
        <translation>{first} und {last}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{n} min</source>
        <translation>{n} min</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{n} h</source>
        <translation>{n} h</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{n} GiB</source>
        <translation>{n} GiB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{part} of {whole} GiB</source>
        <translation>{part} von {whole} GiB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/desktop/words.py"/>
        <source>{age} ago</source>
        <translation>vor {age}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>{where} must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, not &quot;{written}&quot;</source>
        <translation>{where} muss HOST:PORT sein, etwa 127.0.0.1:8080 oder [::1]:8080, nicht &quot;{written}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>listeners offer groups, but the matrix is in use, which has none</source>
        <translation>listeners bieten Gruppen an, doch die Matrix ist in Gebrauch, die keine hat</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>listen needs at least one address</source>
        <translation>listen braucht mindestens eine Adresse</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>an address under listeners</source>
        <translation>eine Adresse unter listeners</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>apiKeys[{index}] is the key of another entry already</source>
        <translation>apiKeys[{index}] ist schon der Schlüssel eines anderen Eintrags</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>{key} needs {other} beside it</source>
        <translation>{key} braucht {other} neben sich</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>listeners has {address} twice</source>
        <translation>listeners hat {address} zweimal</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>apiKeys[{index}] is empty</source>
        <translation>apiKeys[{index}] ist leer</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>apiKeys[{index}] has a space or an invisible character in it</source>
        <translation>apiKeys[{index}] enthält ein Leerzeichen oder ein unsichtbares Zeichen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>apiKeyModels: entry {number} is for a key that is not in apiKeys</source>
        <translation>apiKeyModels: Eintrag {number} gilt einem Schlüssel, der nicht in apiKeys steht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>apiKeyModels: there is no model &quot;{name}&quot;</source>
        <translation>apiKeyModels: es gibt kein Modell &quot;{name}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/access.py"/>
        <source>{key}: there is no group &quot;{group}&quot;</source>
        <translation>{key}: es gibt keine Gruppe &quot;{group}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/changes.py"/>
        <source>the key {key} has an anchor; change it in the text</source>
        <translation>der Schlüssel {key} hat einen Anker; ändern Sie ihn im Text</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/changes.py"/>
        <source>{key} is written in one line; move the text by hand</source>
        <translation>{key} steht in einer Zeile; verschieben Sie den Text von Hand</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/changes.py"/>
        <source>{key} does not stand on lines of its own</source>
        <translation>{key} steht nicht auf eigenen Zeilen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/changes.py"/>
        <source>{key} is the anchor &amp;{anchor}, which line {line} uses too; change it in the text</source>
        <translation>{key} ist der Anker &amp;{anchor}, den auch Zeile {line} benutzt; ändern Sie ihn im Text</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/changes.py"/>
        <source>{key} is *{text} (line {line}), whose keys are shared; change them at the anchor, in the text</source>
        <translation>{key} ist *{text} (Zeile {line}), dessen Schlüssel geteilt sind; ändern Sie sie beim Anker, im Text</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/changes.py"/>
        <source>a single pair in a list cannot grow; write it in {...} in the text</source>
        <translation>ein einzelnes Paar in einer Liste kann nicht wachsen; schreiben Sie es im Text in {...}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/changes.py"/>
        <source>{where} comes from a merge (&lt;&lt;); it can only be replaced</source>
        <translation>{where} kommt aus einer Vereinigung (&lt;&lt;); es lässt sich nur ersetzen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/changes.py"/>
        <source>a key without a colon (`? key`) can only be changed by hand</source>
        <translation>ein Schlüssel ohne Doppelpunkt (`? key`) lässt sich nur von Hand ändern</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/changes.py"/>
        <source>the last part of a line cannot be taken away alone</source>
        <translation>der letzte Teil einer Zeile lässt sich nicht allein entfernen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/command.py"/>
        <source>the command begins with `{name}...`, which only a shell understands; put `{text}` under `env:`</source>
        <translation>der Befehl beginnt mit `{name}...`, was nur eine Shell versteht; schreiben Sie `{text}` unter `env:`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/command.py"/>
        <source>`$(...)` is not run, for there is no shell; write {wrap} around the command</source>
        <translation>`$(...)` wird nicht ausgeführt, denn es gibt keine Shell; schreiben Sie {wrap} um den Befehl</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/command.py"/>
        <source>backticks are not run, for there is no shell; write {wrap} around the command</source>
        <translation>Backticks werden nicht ausgeführt, denn es gibt keine Shell; schreiben Sie {wrap} um den Befehl</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/command.py"/>
        <source>`{redirection}` does not redirect, for there is no shell; the output is in the model&apos;s log, or write {wrap} around the command</source>
        <translation>`{redirection}` leitet nichts um, denn es gibt keine Shell; die Ausgabe steht im Protokoll des Modells, oder schreiben Sie {wrap} um den Befehl</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/command.py"/>
        <source>`{name}` is not replaced, for there is no shell; write {variable}</source>
        <translation>`{name}` wird nicht ersetzt, denn es gibt keine Shell; schreiben Sie {variable}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/command.py"/>
        <source>`~` is not replaced, for there is no shell; write ${env.HOME}</source>
        <translation>`~` wird nicht ersetzt, denn es gibt keine Shell; schreiben Sie ${env.HOME}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/command.py"/>
        <source>`{operator}` is given to the program as text, for there is no shell; write {wrap} around the command</source>
        <translation>`{operator}` bekommt das Programm als Text, denn es gibt keine Shell; schreiben Sie {wrap} um den Befehl</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>model &quot;{id}&quot;: {keys} changed</source>
        <translation>Modell &quot;{id}&quot;: {keys} geändert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source> for {groups}</source>
        <translation> für {groups}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>the groups {names}</source>
        <translation>die Gruppen {names}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>all models</source>
        <translation>alle Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>for ever</source>
        <translation>für immer</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>in memory</source>
        <translation>im Speicher</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>1 key</source>
        <translation>1 Schlüssel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>{n} keys</source>
        <translation>{n} Schlüssel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>no key</source>
        <translation>kein Schlüssel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>in the data folder</source>
        <translation>im Datenordner</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>peer</source>
        <translation>Peer</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>selector</source>
        <translation>Selektor</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>model &quot;{id}&quot; cannot be used: {why}</source>
        <translation>Modell &quot;{id}&quot; ist nicht zu gebrauchen: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>model &quot;{id}&quot; added, but it cannot be used: {why}</source>
        <translation>Modell &quot;{id}&quot; hinzugefügt, doch es ist nicht zu gebrauchen: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>model &quot;{id}&quot; removed</source>
        <translation>Modell &quot;{id}&quot; entfernt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>no models</source>
        <translation>keine Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>group &quot;{id}&quot; added ({members})</source>
        <translation>Gruppe &quot;{id}&quot; hinzugefügt ({members})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>group &quot;{id}&quot; removed</source>
        <translation>Gruppe &quot;{id}&quot; entfernt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>the matrix decides which models run together</source>
        <translation>die Matrix entscheidet, welche Modelle zusammen laufen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>{kind} &quot;{id}&quot; added</source>
        <translation>{kind} &quot;{id}&quot; hinzugefügt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>{kind} &quot;{id}&quot; removed</source>
        <translation>{kind} &quot;{id}&quot; entfernt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>{address} closes</source>
        <translation>{address} schließt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>model &quot;{id}&quot; works again</source>
        <translation>Modell &quot;{id}&quot; ist wieder zu gebrauchen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>model &quot;{id}&quot; added</source>
        <translation>Modell &quot;{id}&quot; hinzugefügt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>; restarts at its next start</source>
        <translation>; gilt ab seinem nächsten Start</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>groups decide which models run together, not the matrix</source>
        <translation>Gruppen entscheiden, welche Modelle zusammen laufen, nicht die Matrix</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>matrix changed</source>
        <translation>Matrix geändert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>{kind} &quot;{id}&quot;: </source>
        <translation>{kind} &quot;{id}&quot;: </translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>{address} opens</source>
        <translation>{address} öffnet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>{address} opens anew: the certificate changed</source>
        <translation>{address} öffnet neu: das Zertifikat hat sich geändert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>{key} changed</source>
        <translation>{key} geändert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>model &quot;{id}&quot;: </source>
        <translation>Modell &quot;{id}&quot;: </translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>group &quot;{id}&quot;: </source>
        <translation>Gruppe &quot;{id}&quot;: </translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/diff.py"/>
        <source>{address} offers {groups} (before: {before})</source>
        <translation>{address} bietet {groups} an (zuvor: {before})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>the file is encoded as UTF-16; save it as UTF-8</source>
        <translation>die Datei ist als UTF-16 kodiert; speichern Sie sie als UTF-8</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>a tab indents this line; YAML takes only spaces</source>
        <translation>ein Tabulator rückt diese Zeile ein; YAML erlaubt nur Leerzeichen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>a number: it has too many digits</source>
        <translation>eine Zahl: sie hat zu viele Ziffern</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>the key `{text}` stands here again; it is also on line {line}</source>
        <translation>der Schlüssel `{text}` steht hier noch einmal; er steht auch in Zeile {line}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>a byte order mark begins this line, as after joining files; remove it</source>
        <translation>eine Bytereihenfolge-Marke beginnt diese Zeile, wie nach dem Zusammenfügen von Dateien; entfernen Sie sie</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>the byte 0x{byte} is not valid UTF-8; save the file as UTF-8</source>
        <translation>das Byte 0x{byte} ist kein gültiges UTF-8; speichern Sie die Datei als UTF-8</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>this text has a backslash that means nothing inside double quotes; write it in single quotes or as a block (|), where backslashes stay as they are</source>
        <translation>dieser Text hat einen Backslash, der in doppelten Anführungszeichen nichts bedeutet; schreiben Sie ihn in einfache oder als Block (|), wo Backslashes bleiben, wie sie sind</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>nested more than {most} levels deep</source>
        <translation>mehr als {most} Ebenen tief verschachtelt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>the file must hold keys and values, such as `models:`</source>
        <translation>die Datei muss Schlüssel und Werte enthalten, etwa `models:`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>`&lt;&lt;` takes a mapping (such as *anchor) or a list of them</source>
        <translation>`&lt;&lt;` nimmt eine Zuordnung (etwa *anchor) oder eine Liste davon</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>the file is larger than {size} MiB</source>
        <translation>die Datei ist größer als {size} MiB</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>the character U+{code} may not stand here</source>
        <translation>das Zeichen U+{code} darf hier nicht stehen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>this is not valid YAML: {error}</source>
        <translation>das ist kein gültiges YAML: {error}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>this is not valid YAML: braces inside {...} or [...] end it early; put the command in quotes</source>
        <translation>das ist kein gültiges YAML: Klammern in {...} oder [...] beenden es zu früh; setzen Sie den Befehl in Anführungszeichen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>a second document begins here; only the first one is read</source>
        <translation>hier beginnt ein zweites Dokument; nur das erste wird gelesen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>*{anchor} refers to no anchor above it</source>
        <translation>*{anchor} verweist auf keinen Anker darüber</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>&amp;{anchor} contains itself</source>
        <translation>&amp;{anchor} enthält sich selbst</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>the tag {name} is not known here</source>
        <translation>das Tag {name} ist hier nicht bekannt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>the file holds too much, its anchors expanded</source>
        <translation>die Datei enthält zu viel, wenn ihre Anker ausgeschrieben sind</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>merges nested too deep</source>
        <translation>Vereinigungen zu tief verschachtelt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>this is not valid YAML: a colon followed by a space stands in unquoted text, or the line is indented wrongly; put the text in quotes</source>
        <translation>das ist kein gültiges YAML: ein Doppelpunkt mit Leerzeichen steht in Text ohne Anführungszeichen, oder die Zeile ist falsch eingerückt; setzen Sie den Text in Anführungszeichen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>this is not valid YAML: {words}</source>
        <translation>das ist kein gültiges YAML: {words}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>half of a surrogate pair stands in this text</source>
        <translation>in diesem Text steht ein halbes Surrogatpaar</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>this cannot be read as {name}</source>
        <translation>das ist nicht zu lesen als {name}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source>a key must be a text, not a mapping or a list</source>
        <translation>ein Schlüssel muss ein Text sein, keine Zuordnung oder Liste</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source> ({context})</source>
        <translation> ({context})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/document.py"/>
        <source> ({context} from line {where} on)</source>
        <translation> ({context} ab Zeile {where})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>there is no {value} to take away</source>
        <translation>zum Entfernen fehlt {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>{key} or its new neighbour is not written here</source>
        <translation>{key} oder der neue Nachbar steht hier nicht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>there is a model &quot;{id}&quot; already</source>
        <translation>es gibt schon ein Modell &quot;{id}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>there is no model &quot;{id}&quot;</source>
        <translation>es gibt kein Modell &quot;{id}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>a model needs a name</source>
        <translation>ein Modell braucht einen Namen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>{value} is not written here as a mapping or list</source>
        <translation>{value} ist hier nicht als Zuordnung oder Liste geschrieben</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>a configuration is a mapping of keys to values</source>
        <translation>eine Konfiguration ordnet Schlüsseln Werte zu</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>the edit would change more than was meant; the text has a form that can only be changed by hand</source>
        <translation>die Änderung beträfe mehr als gemeint; der Text hat eine Form, die sich nur von Hand ändern lässt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>the file</source>
        <translation>die Datei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>list of that length</source>
        <translation>Liste dieser Länge</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>mapping</source>
        <translation>Zuordnung</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>{where} is no {kind}, so {key} cannot be set</source>
        <translation>{where} ist keine {kind}, also lässt sich {key} nicht setzen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>{key} cannot be written: {error}</source>
        <translation>{key} lässt sich nicht schreiben: {error}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>there is no key {key} to rename</source>
        <translation>es gibt keinen Schlüssel {key} zum Umbenennen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>{key} is there already</source>
        <translation>{key} gibt es schon</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>the edit would not be readable: {message}</source>
        <translation>die Änderung wäre nicht lesbar: {message}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>{key} is no list</source>
        <translation>{key} ist keine Liste</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>{where} comes from a merge (&lt;&lt;); replace all of it instead</source>
        <translation>{where} kommt aus einer Vereinigung (&lt;&lt;); ersetzen Sie stattdessen alles</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/editor.py"/>
        <source>such value</source>
        <translation>ein solcher Wert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>does not say the port; add `--port ${PORT}` to it, or `proxy:` with the address that the server listens on</source>
        <translation>nennt den Port nicht; fügen Sie `--port ${PORT}` an, oder `proxy:` mit der Adresse, auf der der Server lauscht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>has the fixed port {port} ({flag}) but there is no proxy, so nobody would find the server; write `proxy: http://127.0.0.1:{port}`, or {macro} instead of {port}</source>
        <translation>hat den festen Port {port} ({flag}), doch es gibt kein proxy, so fände niemand den Server; schreiben Sie `proxy: http://127.0.0.1:{port}`, oder {macro} statt {port}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>must be a mapping with `cmd:` or `proxy:` in it</source>
        <translation>muss eine Zuordnung mit `cmd:` oder `proxy:` darin sein</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>holds a NUL character</source>
        <translation>enthält ein NUL-Zeichen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>has a path whose backslashes YAML has read as line ends or tabs; write it in single quotes or as a block (|)</source>
        <translation>hat einen Pfad, dessen Backslashes YAML als Zeilenenden oder Tabulatoren gelesen hat; schreiben Sie ihn in einfache Anführungszeichen oder als Block (|)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>has a quote that is never closed; the rest is one argument</source>
        <translation>hat ein Anführungszeichen, das nie geschlossen wird; der Rest ist ein Argument</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>looks like shell: {shell}</source>
        <translation>sieht nach Shell aus: {shell}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>has single quotes, which do not group on Windows; use double ones</source>
        <translation>hat einfache Anführungszeichen, die unter Windows nicht zusammenfassen; nehmen Sie doppelte</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>has no command; write `cmd:`, or `proxy:` for a server elsewhere</source>
        <translation>hat keinen Befehl; schreiben Sie `cmd:`, oder `proxy:` für einen Server anderswo</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>; write http://{text}</source>
        <translation>; schreiben Sie http://{text}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>has no effect: use `useModelName` for another name</source>
        <translation>hat keine Wirkung: nehmen Sie `useModelName` für einen anderen Namen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>has the name &quot;{id}&quot; twice</source>
        <translation>hat den Namen &quot;{id}&quot; zweimal</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>passes &quot;{text}&quot; as an argument; `#` begins a comment only at the start of a line, and a folded block (&gt;) joins its lines: use |</source>
        <translation>übergibt &quot;{text}&quot; als Argument; `#` beginnt nur am Zeilenanfang einen Kommentar, und ein gefalteter Block (&gt;) verbindet seine Zeilen: nehmen Sie |</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>has a macro that brings a line end into a quoted argument; write the macro on one line or with &gt;-</source>
        <translation>hat ein Makro, das ein Zeilenende in ein Argument in Anführungszeichen bringt; schreiben Sie das Makro in eine Zeile oder mit &gt;-</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>is nothing but comments; write the command to run</source>
        <translation>besteht nur aus Kommentaren; schreiben Sie den Befehl, der laufen soll</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>is empty; write the command, or `proxy:` for a server elsewhere</source>
        <translation>ist leer; schreiben Sie den Befehl, oder `proxy:` für einen Server anderswo</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>is not a URL: {error}</source>
        <translation>ist keine URL: {error}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>must be a URL such as http://127.0.0.1:8080, not &quot;{text}&quot;</source>
        <translation>muss eine URL sein wie http://127.0.0.1:8080, nicht &quot;{text}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>names port {port}, but cmd starts the server on {macro}; write {proxy}, or leave proxy out</source>
        <translation>nennt Port {port}, doch cmd startet den Server auf {macro}; schreiben Sie {proxy}, oder lassen Sie proxy weg</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>is empty and is left out</source>
        <translation>ist leer und wird weggelassen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>cannot be sent as JSON: it is not a finite number</source>
        <translation>lässt sich nicht als JSON senden: es ist keine endliche Zahl</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>uses ${PORT}, but cmd does not; only cmd can ask for a port</source>
        <translation>benutzt ${PORT}, cmd aber nicht; nur cmd kann um einen Port bitten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>is left out: &quot;{entry}&quot; is not NAME=value</source>
        <translation>wird weggelassen: &quot;{entry}&quot; ist nicht NAME=Wert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>says &quot;{alias}&quot; again</source>
        <translation>nennt &quot;{alias}&quot; noch einmal</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>uses ${PID}, which is known only in cmdStop</source>
        <translation>benutzt ${PID}, das nur in cmdStop bekannt ist</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/entry.py"/>
        <source>has a path whose backslashes YAML has read as line ends or tabs; write it in single quotes</source>
        <translation>hat einen Pfad, dessen Backslashes YAML als Zeilenenden oder Tabulatoren gelesen hat; schreiben Sie ihn in einfache Anführungszeichen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <location filename="../../qmdesk/config/merge.py"/>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>a mapping</source>
        <translation>eine Zuordnung</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <location filename="../../qmdesk/config/merge.py"/>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>a list</source>
        <translation>eine Liste</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>&quot;{text}&quot;</source>
        <translation>&quot;{text}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be a text, not {value}</source>
        <translation>muss ein Text sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be true or false, not {value}</source>
        <translation>muss true oder false sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be toolCalls or always, not {value}</source>
        <translation>muss toolCalls oder always sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be a whole number, not {value}</source>
        <translation>muss eine ganze Zahl sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>; write {found}</source>
        <translation>; schreiben Sie {found}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be at most {most} seconds (ten years)</source>
        <translation>darf höchstens {most} Sekunden sein (zehn Jahre)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be a duration such as 5s or 1m30s, not {value}</source>
        <translation>muss eine Dauer sein wie 5s oder 1m30s, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be from 0 to {most} {unit}, not {value}</source>
        <translation>muss von 0 bis {most} {unit} sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be a command line or a list of arguments, not a mapping</source>
        <translation>muss eine Befehlszeile oder eine Liste von Argumenten sein, keine Zuordnung</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be true, false or &quot;reasoning&quot;, not {value}</source>
        <translation>muss true, false oder &quot;reasoning&quot; sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be a mapping, not {value}</source>
        <translation>muss eine Zuordnung sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must list at least one model, or say auto</source>
        <translation>muss mindestens ein Modell nennen, oder auto</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be a number of seconds, not {value}</source>
        <translation>muss eine Zahl von Sekunden sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be a number of {unit}, not {value}</source>
        <translation>muss eine Zahl von {unit} sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be one of {names}, not {value}</source>
        <translation>muss eines sein von {names}, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>must be networks or addresses such as 192.168.1.0/24 or 10.0.0.7, not {value}</source>
        <translation>müssen Netze oder Adressen sein wie 192.168.1.0/24 oder 10.0.0.7, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>argument {index} must be a text, not {value}</source>
        <translation>Argument {index} muss ein Text sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>the value of {name} must be a text, not {value}</source>
        <translation>der Wert von {name} muss ein Text sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/fields.py"/>
        <source>has an invalid regular expression {value}: {error}</source>
        <translation>hat einen ungültigen regulären Ausdruck {value}: {error}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>`listen: HOST:PORT` is the key for the address</source>
        <translation>`listen: HOST:PORT` ist der Schlüssel für die Adresse</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>did you mean `globalTTL` (seconds; `ttl` in a model)?</source>
        <translation>meinten Sie `globalTTL` (Sekunden; `ttl` in einem Modell)?</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>did you mean `healthCheckTimeout`?</source>
        <translation>meinten Sie `healthCheckTimeout`?</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>did you mean `globalTTL`?</source>
        <translation>meinten Sie `globalTTL`?</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>it belongs to a model</source>
        <translation>er gehört zu einem Modell</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>name the model in `groups.&lt;name&gt;.members` instead</source>
        <translation>nennen Sie das Modell stattdessen in `groups.&lt;name&gt;.members`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>did you mean `ttl`?</source>
        <translation>meinten Sie `ttl`?</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>it belongs to the top level of the file</source>
        <translation>er gehört auf die oberste Ebene der Datei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>it belongs to the top level of the file; a model has `ttl`</source>
        <translation>er gehört auf die oberste Ebene der Datei; ein Modell hat `ttl`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>a model cannot add headers; a server that needs a key belongs under `peers`</source>
        <translation>ein Modell kann keine Kopfzeilen hinzufügen; ein Server, der einen Schlüssel braucht, gehört unter `peers`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>a server that needs a key belongs under `peers`</source>
        <translation>ein Server, der einen Schlüssel braucht, gehört unter `peers`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>it belongs under `filters`</source>
        <translation>er gehört unter `filters`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>name the model in `hooks.on_startup.preload` instead</source>
        <translation>nennen Sie das Modell stattdessen in `hooks.on_startup.preload`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>set it in `routing.scheduler.settings.fifo.priority`</source>
        <translation>setzen Sie das in `routing.scheduler.settings.fifo.priority`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>`{path}` looks like a model: it belongs under `models:`</source>
        <translation>`{path}` sieht nach einem Modell aus: es gehört unter `models:`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>logRequests has no effect</source>
        <translation>logRequests hat keine Wirkung</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>`{path}` stands inside the model {model} but looks like a model: check the indentation</source>
        <translation>`{path}` steht im Modell {model}, sieht aber nach einem Modell aus: prüfen Sie die Einrückung</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>{key} is read, but not acted on yet</source>
        <translation>{key} wird gelesen, wirkt aber noch nicht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/keys.py"/>
        <source>unknown key {key}</source>
        <translation>unbekannter Schlüssel {key}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/layout.py"/>
        <source>the list has a form that cannot be changed; do it in the text</source>
        <translation>die Liste hat eine Form, die sich nicht ändern lässt; tun Sie es im Text</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>{where} uses the unknown macro {macro}{through}</source>
        <translation>{where} benutzt das unbekannte Makro {macro}{through}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>the macro name {name} is reserved; qmdesk fills {macro} itself</source>
        <translation>der Makroname {name} ist vergeben; qmdesk füllt {macro} selbst</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>a macro&apos;s name has 1 to {most} letters, digits, `_` or `-`, which &quot;{name}&quot; does not</source>
        <translation>ein Makroname hat 1 bis {most} Buchstaben, Ziffern, `_` oder `-`, anders als &quot;{name}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>the macro {name} must be a text, a number or true/false; it is {kind}</source>
        <translation>das Makro {name} muss ein Text, eine Zahl oder true/false sein; es ist {kind}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>the macro {name} uses itself</source>
        <translation>das Makro {name} benutzt sich selbst</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source> (through the macro {culprit})</source>
        <translation> (durch das Makro {culprit})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>{where} uses {macro}{through} before it is declared; move {name} above {other}</source>
        <translation>{where} benutzt {macro}{through}, bevor es deklariert ist; schreiben Sie {name} über {other}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>; declare it under `macros:`</source>
        <translation>; deklarieren Sie es unter `macros:`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>macros must be a mapping of names to values</source>
        <translation>macros muss Namen Werte zuordnen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>empty (write &quot;&quot; for no text)</source>
        <translation>leer (schreiben Sie &quot;&quot; für keinen Text)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <location filename="../../qmdesk/config/names.py"/>
        <source>; did you mean {near}?</source>
        <translation>; meinten Sie {near}?</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>; declare it under `macros:`, or did you mean {near}?</source>
        <translation>; deklarieren Sie es unter `macros:`, oder meinten Sie {near}?</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>the environment variable {name} holds a NUL character</source>
        <translation>die Umgebungsvariable {name} enthält ein NUL-Zeichen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>it</source>
        <translation>die Stelle, die es benutzt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>two keys here are the same once filled</source>
        <translation>zwei Schlüssel sind hier gleich, sobald sie gefüllt sind</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/macros.py"/>
        <source>the environment variable {name} is not set</source>
        <translation>die Umgebungsvariable {name} ist nicht gesetzt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/merge.py"/>
        <source>there is no .yaml or .yml file in this folder</source>
        <translation>in diesem Ordner gibt es keine .yaml- oder .yml-Datei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/merge.py"/>
        <source>a single value</source>
        <translation>ein einzelner Wert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/merge.py"/>
        <source>this file is also in the folder {folder}; name only one of the two</source>
        <translation>diese Datei liegt auch im Ordner {folder}; nennen Sie nur eines von beiden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/merge.py"/>
        <source>the folder cannot be read: {words}</source>
        <translation>der Ordner ist nicht zu lesen: {words}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/merge.py"/>
        <source>{kind} &quot;{key}&quot; stands in {here} already; keep one</source>
        <translation>{kind} &quot;{key}&quot; steht schon in {here}; behalten Sie eines</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/merge.py"/>
        <source>{key} is {new} here but {old} in {here}</source>
        <translation>{key} ist hier {new}, in {here} aber {old}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/merge.py"/>
        <source>{key} has another value in {here}; keep one</source>
        <translation>{key} hat in {here} einen anderen Wert; behalten Sie einen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>{key} must be a URL such as https://host/v1, not &quot;{text}&quot;</source>
        <translation>{key} muss eine URL sein wie https://host/v1, nicht &quot;{text}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>{who}: that is also the name of {what}; choose another</source>
        <translation>{who}: so heißt auch {what}; wählen Sie einen anderen Namen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>&quot;{name}&quot; is a selector; a target must be a model</source>
        <translation>&quot;{name}&quot; ist ein Selektor; ein Ziel muss ein Modell sein</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>selectors.{id}: spillover needs targets that can run together; put {names} into one group with `swap: false` or one set of the matrix</source>
        <translation>selectors.{id}: spillover braucht Ziele, die zusammen laufen können; nehmen Sie {names} in eine Gruppe mit `swap: false` oder eine Menge der Matrix auf</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>profiles.{id}: there is no model or selector &quot;{target}&quot;</source>
        <translation>profiles.{id}: es gibt kein Modell und keinen Selektor &quot;{target}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>selectors.{id} needs a strategy and targets</source>
        <translation>selectors.{id} braucht eine Strategie und Ziele</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>a peer needs a name</source>
        <translation>ein Peer braucht einen Namen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>the parameter model is never set</source>
        <translation>der Parameter model wird nie gesetzt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>a model</source>
        <translation>ein Modell</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>an alias</source>
        <translation>ein Alias</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>{who}: that is also a model of a peer; choose another</source>
        <translation>{who}: so heißt auch ein Modell eines Peers; wählen Sie einen anderen Namen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>selectors.{id} needs at least one target</source>
        <translation>selectors.{id} braucht mindestens ein Ziel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>selectors.{id}: {message}</source>
        <translation>selectors.{id}: {message}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>selectors.{id}: &quot;{target}&quot; is a target twice</source>
        <translation>selectors.{id}: &quot;{target}&quot; ist zweimal ein Ziel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>profiles.{id} needs at least one pin: `pins: {{NAME: MODEL}}`</source>
        <translation>profiles.{id} braucht mindestens eine Zeile unter pins: `pins: {{NAME: MODELL}}`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>profiles.{id}: a pin needs the name it is for</source>
        <translation>profiles.{id}: unter pins fehlt der Name, um den es geht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>profiles.{id}: &quot;{name}&quot; is a model of a peer and cannot be pinned</source>
        <translation>profiles.{id}: &quot;{name}&quot; ist ein Modell eines Peers und kann nichts anderes bedeuten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>peers.{id} needs proxy and models</source>
        <translation>peers.{id} braucht proxy und models</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>&quot;{full}&quot; would mean a model of {seen} and of {id}</source>
        <translation>&quot;{full}&quot; hieße ein Modell von {seen} und eines von {id}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>a profile needs a name</source>
        <translation>ein Profil braucht einen Namen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>a selector needs a name</source>
        <translation>ein Selektor braucht einen Namen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>selector &quot;{id}&quot;</source>
        <translation>Selektor &quot;{id}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>&quot;{full}&quot; is a model of the peer {id} and of this machine (model &quot;{own}&quot;); rename one of them</source>
        <translation>&quot;{full}&quot; ist ein Modell des Peers {id} und eines dieses Rechners (Modell &quot;{own}&quot;); benennen Sie eines um</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>there is no model &quot;{name}&quot;</source>
        <translation>es gibt kein Modell &quot;{name}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/naming.py"/>
        <source>&quot;{name}&quot; is a model of a peer; warm can only choose among our own</source>
        <translation>&quot;{name}&quot; ist ein Modell eines Peers; warm kann nur unter den eigenen wählen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/problem.py"/>
        <source>{place}: warning: {what}</source>
        <translation>{place}: Warnung: {what}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/problem.py"/>
        <source>configuration</source>
        <translation>Konfiguration</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/problem.py"/>
        <source>{place}: error: {what}</source>
        <translation>{place}: Fehler: {what}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>there is no such file</source>
        <translation>diese Datei gibt es nicht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>this is a folder, not a file</source>
        <translation>das ist ein Ordner, keine Datei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>the file cannot be read: {why}</source>
        <translation>die Datei ist nicht zu lesen: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>the macros of this file expand to more text than any command could have</source>
        <translation>die Makros dieser Datei ergeben mehr Text, als ein Befehl haben könnte</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>models must be a mapping: each model&apos;s name, and below it its keys</source>
        <translation>models muss eine Zuordnung sein: der Name jedes Modells und darunter seine Schlüssel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>startPort {first} leaves too few ports for {n} models</source>
        <translation>startPort {first} lässt zu wenige Ports für {n} Modelle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>model &quot;{id}&quot;: its port {port} is also that of model &quot;{owner}&quot;, so they can never run together; write {macro} in both commands</source>
        <translation>Modell &quot;{id}&quot;: sein Port {port} ist auch der von Modell &quot;{owner}&quot;, so können sie nie zusammen laufen; schreiben Sie {macro} in beide Befehle</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>{key} uses {macro}, which is known only in models</source>
        <translation>{key} benutzt {macro}, das nur in Modellen bekannt ist</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>model &quot;{id}&quot;: setParamsByID has &quot;{alias}&quot;, which is another model; write an id that is not taken</source>
        <translation>Modell &quot;{id}&quot;: setParamsByID hat &quot;{alias}&quot;, was ein anderes Modell ist; schreiben Sie einen Namen, der frei ist</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>model &quot;{id}&quot;: the alias &quot;{alias}&quot; is also the name of a model, which gets the requests</source>
        <translation>Modell &quot;{id}&quot;: der Alias &quot;{alias}&quot; ist auch der Name eines Modells, das die Anfragen bekommt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/reader.py"/>
        <source>model &quot;{id}&quot;: the alias &quot;{alias}&quot; belongs to model &quot;{names}&quot; already</source>
        <translation>Modell &quot;{id}&quot;: der Alias &quot;{alias}&quot; gehört schon zu Modell &quot;{names}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>the scheduler &quot;{use}&quot; is not known; the only one is fifo</source>
        <translation>der Scheduler &quot;{use}&quot; ist nicht bekannt; der einzige ist fifo</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>{path} stands here and routing.router on line {line}; keep one spelling: move {path} to routing.router.settings.{path}</source>
        <translation>{path} steht hier und routing.router in Zeile {line}; behalten Sie eine Schreibweise: verschieben Sie {path} nach routing.router.settings.{path}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>groups and matrix exclude each other; keep one, or move both under routing.router.settings and choose with routing.router.use</source>
        <translation>groups und matrix schließen einander aus; behalten Sie eines, oder verschieben Sie beide unter routing.router.settings und wählen Sie mit routing.router.use</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>routing.router.use must be group or matrix, not &quot;{use}&quot;</source>
        <translation>routing.router.use muss group oder matrix sein, nicht &quot;{use}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>routing.router.use is matrix, but routing.router.settings.matrix is missing</source>
        <translation>routing.router.use ist matrix, doch routing.router.settings.matrix fehlt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>matrix: a name under vars has 1 to 32 letters, digits, `.` or `-`, not &quot;{var}&quot;</source>
        <translation>matrix: ein Name unter vars hat 1 bis 32 Buchstaben, Ziffern, `.` oder `-`, nicht &quot;{var}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>matrix: {var} stands for &quot;{id}&quot;, which is no model</source>
        <translation>matrix: {var} steht für &quot;{id}&quot;, was kein Modell ist</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>matrix: evict_costs names &quot;{name}&quot;, which is neither a var nor a model</source>
        <translation>matrix: evict_costs nennt &quot;{name}&quot;, was weder unter vars steht noch ein Modell ist</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>matrix needs at least one set under `sets:`</source>
        <translation>matrix braucht mindestens eine Menge unter `sets:`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>group &quot;{id}&quot;: there is no model &quot;{member}&quot;</source>
        <translation>Gruppe &quot;{id}&quot;: es gibt kein Modell &quot;{member}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>priority: there is no model &quot;{name}&quot;</source>
        <translation>priority: es gibt kein Modell &quot;{name}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source> but an alias; write `{id}`</source>
        <translation>, sondern ein Alias; schreiben Sie `{id}`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>matrix set &quot;{name}&quot;: {what}</source>
        <translation>Menge &quot;{name}&quot; der Matrix: {what}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>the expression is empty</source>
        <translation>der Ausdruck ist leer</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>+{name} refers to no set</source>
        <translation>+{name} verweist auf keine Menge</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>a set&apos;s name must follow `+`</source>
        <translation>auf `+` muss der Name einer Menge folgen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>a `(` is never closed</source>
        <translation>eine `(` wird nie geschlossen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>; that is an alias, write `{id}`</source>
        <translation>; das ist ein Alias, schreiben Sie `{id}`</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>is listed twice</source>
        <translation>ist zweimal aufgeführt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>the character {sign} means nothing here</source>
        <translation>das Zeichen {sign} bedeutet hier nichts</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>{name} is neither a var nor a model</source>
        <translation>{name} steht weder unter vars, noch ist es ein Modell</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>a `)` closes nothing</source>
        <translation>eine `)` schließt nichts</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>is already in group &quot;{group}&quot;; a model belongs to one group</source>
        <translation>ist schon in der Gruppe &quot;{group}&quot;; ein Modell gehört in eine Gruppe</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/routing.py"/>
        <source>group &quot;{id}&quot;: model &quot;{member}&quot; {what}</source>
        <translation>Gruppe &quot;{id}&quot;: Modell &quot;{member}&quot; {what}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>logLevel must be one of {names}, not &quot;{level}&quot;; info is used</source>
        <translation>logLevel muss eines sein von {names}, nicht &quot;{level}&quot;; es gilt info</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>ui.language must be one of {names}, not &quot;{written}&quot;; the system&apos;s is used</source>
        <translation>ui.language muss eines sein von {names}, nicht &quot;{written}&quot;; es gilt die Sprache des Systems</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>logTimeFormat: &quot;{written}&quot; is not known, so there are no time stamps</source>
        <translation>logTimeFormat: &quot;{written}&quot; ist nicht bekannt, also gibt es keine Zeitstempel</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>store.path must not be empty; leave `store` out for the data folder</source>
        <translation>store.path darf nicht leer sein; lassen Sie `store` für den Datenordner weg</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>{key}: there is no model &quot;{name}&quot;</source>
        <translation>{key}: es gibt kein Modell &quot;{name}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>performance.every must be at least 5s, not {every}s</source>
        <translation>performance.every muss mindestens 5s sein, nicht {every}s</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>models.current.{key} has no effect: it is no model of its own</source>
        <translation>models.current.{key} hat keine Wirkung: es ist kein eigenes Modell</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>models.current: an alias must be a text</source>
        <translation>models.current: ein Alias muss ein Text sein</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>models.current: the alias &quot;{alias}&quot; means something else already</source>
        <translation>models.current: der Alias &quot;{alias}&quot; bedeutet schon etwas anderes</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>preload: there is no model &quot;{name}&quot;</source>
        <translation>preload: es gibt kein Modell &quot;{name}&quot;</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/top_level.py"/>
        <source>; that is a group, write the names of models</source>
        <translation>; das ist eine Gruppe, schreiben Sie die Namen von Modellen</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>a text</source>
        <translation>ein Text</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>is missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>must be more than {n}, not {value}</source>
        <translation>muss mehr als {n} sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>must be {kind}, not {value}</source>
        <translation>muss {kind} sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>model &quot;{id}&quot;: {key}</source>
        <translation>Modell &quot;{id}&quot;: {key}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>model &quot;{id}&quot;:</source>
        <translation>Modell &quot;{id}&quot;:</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>must be at least {n}, not {value}</source>
        <translation>muss mindestens {n} sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/validation.py"/>
        <source>must be at most {n}, not {value}</source>
        <translation>darf höchstens {n} sein, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/configuration.py"/>
        <source>the configuration is spread over the files of {folder}: edit them there</source>
        <translation>die Konfiguration verteilt sich auf die Dateien in {folder}: bearbeiten Sie sie dort</translation>
    </message>
    <message>
        <location filename="../../qmdesk/configuration.py"/>
        <source>there is no configuration file: it was started without one</source>
        <translation>es gibt keine Konfigurationsdatei: gestartet wurde ohne</translation>
    </message>
    <message>
        <location filename="../../qmdesk/configuration.py"/>
        <source>{file} is no file of this configuration</source>
        <translation>{file} ist keine Datei dieser Konfiguration</translation>
    </message>
    <message>
        <location filename="../../qmdesk/memory/budget.py"/>
        <source>other programs hold {size}</source>
        <translation>andere Programme belegen {size}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/memory/budget.py"/>
        <location filename="../../qmdesk/memory/starts.py"/>
        <source>{name} holds {size}</source>
        <translation>{name} belegt {size}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/memory/memory.py"/>
        <source>{model}: {why}</source>
        <translation>{model}: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/memory/starts.py"/>
        <source>it needs {size} ({known}) on {card}, {free} of {total} are free: {holders}. Close what holds the rest, or give it a smaller context or fewer layers on the card (-c, -ngl)</source>
        <translation>es braucht {size} ({known}) auf {card}, frei sind {free} von {total}: {holders}. Schließen Sie, was den Rest belegt, oder geben Sie ihm einen kleineren Kontext oder weniger Schichten auf der Karte (-c, -ngl)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>access violation: the program crashed</source>
        <translation>Zugriffsverletzung: das Programm ist abgestürzt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>illegal instruction: this build needs another processor</source>
        <translation>unzulässiger Befehl: dieses Programm braucht einen anderen Prozessor</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>out of memory</source>
        <translation>kein Speicher mehr</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>a DLL that it needs is missing</source>
        <translation>eine DLL, die es braucht, fehlt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>a DLL that it needs is of the wrong version</source>
        <translation>eine DLL, die es braucht, hat die falsche Version</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>ended by Ctrl-C</source>
        <translation>mit Strg-C beendet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>a DLL that it needs could not start</source>
        <translation>eine DLL, die es braucht, ließ sich nicht starten</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>the program ended itself after an internal error</source>
        <translation>das Programm hat sich nach einem inneren Fehler selbst beendet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>killed from outside; the system does this when memory runs out</source>
        <translation>von außen abgebrochen; das tut das System, wenn der Speicher ausgeht</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>the program crashed</source>
        <translation>das Programm ist abgestürzt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>the program crashed; a model file that changed under it does this too</source>
        <translation>das Programm ist abgestürzt; das geschieht auch, wenn sich die Modelldatei darunter ändert</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>ended from outside</source>
        <translation>von außen beendet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>a program that it was to run may not be run</source>
        <translation>ein Programm, das es ausführen sollte, darf nicht ausgeführt werden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>a program that it was to run was not found</source>
        <translation>ein Programm, das es ausführen sollte, wurde nicht gefunden</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>ended with code {code}</source>
        <translation>endete mit Code {code}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>was ended by {signal}</source>
        <translation>wurde von {signal} beendet</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source>it needs what is missing: {names}</source>
        <translation>es braucht, was fehlt: {names}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/exit_status.py"/>
        <source> ({hint})</source>
        <translation> ({hint})</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/launch.py"/>
        <source>there is no folder {folder} (cwd)</source>
        <translation>es gibt keinen Ordner {folder} (cwd)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/launch.py"/>
        <source>{program} may not be run (permission denied)</source>
        <translation>{program} darf nicht ausgeführt werden (Zugriff verweigert)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/launch.py"/>
        <source>there is no program {program}</source>
        <translation>es gibt kein Programm {program}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/launch.py"/>
        <source>there is no program {program} on the PATH</source>
        <translation>im PATH gibt es kein Programm {program}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/launch.py"/>
        <source>. Install it, or write its full path in models.{model}.{key}</source>
        <translation>. Installieren Sie es, oder schreiben Sie seinen vollen Pfad in models.{model}.{key}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/launch.py"/>
        <source>there is no model file {path} ({flag} in models.{model}.cmd)</source>
        <translation>es gibt keine Modelldatei {path} ({flag} in models.{model}.cmd)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/port.py"/>
        <source>no port from {port} on is free</source>
        <translation>ab {port} ist kein Port frei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>{model} was not started: {why}</source>
        <translation>{model} wurde nicht gestartet: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>gave no answer</source>
        <translation>gab keine Antwort</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>{model} did not start: {program} {how} before it was ready.</source>
        <translation>{model} startete nicht: {program} {how}, bevor er bereit war.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>answered {status}</source>
        <translation>antwortete {status}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>{model} was not ready within {n} s (healthCheckTimeout): {url} {answer}, not 200.</source>
        <translation>{model} war nicht in {n} s bereit (healthCheckTimeout): {url} {answer}, nicht 200.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>its server</source>
        <translation>sein Server</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source> It wrote nothing.</source>
        <translation> Er schrieb nichts.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source> Its last words:</source>
        <translation> Seine letzten Worte:</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>{model} stopped by itself: {program} {how}.</source>
        <translation>{model} hörte von selbst auf: {program} {how}.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>{model} cannot be started: the system does not end its last process (number {pid}), which may still hold memory</source>
        <translation>{model} lässt sich nicht starten: das System beendet seinen letzten Prozess (Nummer {pid}) nicht, der noch Speicher belegen mag</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>{model} did not start: {why}</source>
        <translation>{model} startete nicht: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/process/process.py"/>
        <source>{model} did not start: port {port} is answered by another program, {program}. End that program, or give the model another port.</source>
        <translation>{model} startete nicht: auf Port {port} antwortet ein anderes Programm, {program}. Beenden Sie dieses Programm, oder geben Sie dem Modell einen anderen Port.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/budget.py"/>
        <source>{model} needs {size} ({known}) of the {ceiling} for models on {card}; {freed} come free</source>
        <translation>{model} braucht {size} ({known}) der {ceiling} für Modelle auf {card}; {freed} werden frei</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/budget.py"/>
        <source>nobody knows how much memory {models} takes</source>
        <translation>niemand weiß, wie viel Speicher {models} belegt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/budget.py"/>
        <source>{model} needs {size} ({known}) on {card}, where {budget} are for models</source>
        <translation>{model} braucht {size} ({known}) auf {card}, wo {budget} für Modelle sind</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/budget.py"/>
        <source>{model} needs {size} ({known}), {least} at the least, on {card}, where {budget} are for models</source>
        <translation>{model} braucht {size} ({known}), mindestens {least}, auf {card}, wo {budget} für Modelle sind</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/budget.py"/>
        <source> and {ceiling} now: {others}</source>
        <translation> und jetzt {ceiling}: {others}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/budget.py"/>
        <source>other programs hold the rest</source>
        <translation>andere Programme belegen den Rest</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/budget.py"/>
        <source>; {model} ({size}) stays</source>
        <translation>; {model} ({size}) bleibt</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/groups.py"/>
        <source>group {group} is exclusive</source>
        <translation>die Gruppe {group} verdrängt andere</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/groups.py"/>
        <source>group {group} runs one model at a time</source>
        <translation>in der Gruppe {group} läuft immer nur ein Modell</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/matrix.py"/>
        <source>set {set} of the matrix has room for {model} only without them</source>
        <translation>die Menge {set} der Matrix hat für {model} nur ohne sie Platz</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/matrix.py"/>
        <source>{model} is in no set of the matrix and runs alone</source>
        <translation>{model} steht in keiner Menge der Matrix und läuft allein</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/scheduler.py"/>
        <source>{model} has {n} requests already; its concurrencyLimit is {limit}</source>
        <translation>{model} hat schon {n} Anfragen; sein concurrencyLimit ist {limit}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/scheduler.py"/>
        <source>the load of {model} was given up</source>
        <translation>das Laden von {model} wurde aufgegeben</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/scheduler.py"/>
        <source>{model} failed repeatedly and is left alone for a moment. The last time: {why}</source>
        <translation>{model} scheiterte wiederholt und wird einen Moment in Ruhe gelassen. Zuletzt: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/scheduler.py"/>
        <source>there is no room for it: {why}</source>
        <translation>dafür ist kein Platz: {why}</translation>
    </message>
    <message>
        <location filename="../../qmdesk/scheduler/scheduler.py"/>
        <source>{model} did not get its turn within {n} s (queueTimeout)</source>
        <translation>{model} kam nicht binnen {n} s an die Reihe (queueTimeout)</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>`HOST:PORT`, one or a list; `:PORT` is every interface.</source>
        <translation>`HOST:PORT`, eine Adresse oder eine Liste; `:PORT` heißt an allen Schnittstellen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Seconds of idleness until a model is unloaded; 0: never.</source>
        <translation>Sekunden ohne Nutzung, bis ein Modell entladen wird; 0: nie.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Tell waiting clients of a load: true, false or `reasoning`.</source>
        <translation>Wartenden Clients das Laden melden: true, false oder `reasoning`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Seconds that a start may take; 15 at least.</source>
        <translation>Sekunden, die ein Start dauern darf; mindestens 15.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Models that are loaded at once, in this order.</source>
        <translation>Modelle, die sofort geladen werden, in dieser Reihenfolge.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>For requests that name no model.</source>
        <translation>Für Anfragen, die kein Modell nennen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>For requests that name an unknown model.</source>
        <translation>Für Anfragen, die ein unbekanntes Modell nennen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>`en` or `de`, from the next start on; empty: the system&apos;s.</source>
        <translation>`en` oder `de`, ab dem nächsten Start; leer: die des Systems.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>debug, info, warn or error.</source>
        <translation>debug, info, warn oder error.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>`proxy`, `upstream`, `both` or `none`.</source>
        <translation>`proxy`, `upstream`, `both` oder `none`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Time stamps in the log, by the name of a Go layout; `none`: off.</source>
        <translation>Zeitstempel im Protokoll, mit dem Namen einer Vorlage von Go; `none`: keine.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>GB of video memory for all models together; 0 or `auto`: measured.</source>
        <translation>GB Grafikspeicher für alle Modelle zusammen; 0 oder `auto`: gemessen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>GB left free where others use the card too.</source>
        <translation>GB, die frei bleiben, wo auch andere die Karte nutzen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>A start with less of the model on the card is refused (0 to 1).</source>
        <translation>Ein Start mit weniger vom Modell auf der Karte wird abgelehnt (0 bis 1).</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Unload idle models when other programs need the memory.</source>
        <translation>Ungenutzte Modelle entladen, wenn andere Programme den Speicher brauchen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Seconds that a shortage must last before that.</source>
        <translation>Sekunden, die ein Engpass vorher dauern muss.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Keep them.</source>
        <translation>Sie behalten.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Folder; empty: the user&apos;s cache folder.</source>
        <translation>Ordner; leer: der Cache-Ordner des Benutzers.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>GB that they may take.</source>
        <translation>GB, die sie belegen dürfen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Conversations that are kept.</source>
        <translation>Gespräche, die behalten werden.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Shorter ones are not kept.</source>
        <translation>Kürzere werden nicht behalten.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Keep system prompts that conversations share, too.</source>
        <translation>Auch Systemprompts behalten, die Gespräche gemeinsam haben.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Do so for hybrid and recurrent models as well.</source>
        <translation>Dies auch für hybride und rekurrente Modelle tun.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Web origins that may use the gateway.</source>
        <translation>Web-Ursprünge, die das Gateway nutzen dürfen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>More host names that the gateway answers to.</source>
        <translation>Weitere Rechnernamen, auf die das Gateway hört.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Networks that may operate the gateway, besides this machine.</source>
        <translation>Netze, die das Gateway bedienen dürfen, außer diesem Rechner.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Networks whose `X-Forwarded-For` is believed.</source>
        <translation>Netze, deren `X-Forwarded-For` geglaubt wird.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Certificate chain (PEM) for HTTPS; with `tlsKeyFile`.</source>
        <translation>Zertifikatskette (PEM) für HTTPS; zusammen mit `tlsKeyFile`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Private key (PEM) of `tlsCertFile`.</source>
        <translation>Privater Schlüssel (PEM) zu `tlsCertFile`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>MB that a request may have; 0: no limit.</source>
        <translation>MB, die eine Anfrage haben darf; 0: ohne Grenze.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Seconds a request may wait its turn; 0: for ever.</source>
        <translation>Sekunden, die eine Anfrage in der Warteschlange stehen darf; 0: beliebig lange.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Regular expressions of paths that load no model.</source>
        <translation>Reguläre Ausdrücke von Pfaden, die kein Modell laden.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>A model was unloaded for another one.</source>
        <translation>Ein Modell wurde für ein anderes entladen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Models were unloaded for other programs.</source>
        <translation>Modelle wurden für andere Programme entladen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>A model could not be started.</source>
        <translation>Ein Modell konnte nicht gestartet werden.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>A changed configuration has mistakes.</source>
        <translation>Eine geänderte Konfiguration hat Fehler.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>A configuration changed outside is in force.</source>
        <translation>Eine von außen geänderte Konfiguration gilt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Other machines get in without a key.</source>
        <translation>Andere Rechner haben ohne Schlüssel Zugang.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>A peer does not answer, or answers again.</source>
        <translation>Ein Peer antwortet nicht, oder wieder.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Seconds that a stop may take; 0: ten.</source>
        <translation>Sekunden, die ein Beenden dauern darf; 0: zehn.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>The first of the ports that `${PORT}` gets.</source>
        <translation>Der erste der Ports, die `${PORT}` bekommt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>List aliases in `/v1/models`.</source>
        <translation>Aliasnamen in `/v1/models` aufführen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Texts and numbers for `${name}`.</source>
        <translation>Texte und Zahlen für `${name}`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Only `fifo`.</source>
        <translation>Nur `fifo`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Higher goes first, by model; 0 where unset.</source>
        <translation>Höheres zuerst, je Modell; 0, wo nichts steht.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Milliseconds a model is kept for an agent&apos;s next request; 0: not.</source>
        <translation>Millisekunden, die ein Modell für die nächste Anfrage eines Agenten gehalten wird; 0: nicht.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Milliseconds a waiter honours other models&apos; holds; 0: not.</source>
        <translation>Millisekunden, die ein Wartender das Halten anderer Modelle achtet; 0: nicht.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Hold a model after tool calls (`toolCalls`) or after all requests (`always`).</source>
        <translation>Ein Modell nach Werkzeugaufrufen (`toolCalls`) oder nach allen Anfragen (`always`) halten.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Loaded again when the others have been unloaded for idleness.</source>
        <translation>Wird wieder geladen, wenn die anderen ungenutzt entladen wurden.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Folders in which models are looked for.</source>
        <translation>Ordner, in denen nach Modellen gesucht wird.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>GB for models by card: its index, UUID or name.</source>
        <translation>GB für Modelle je Karte: ihr Index, ihre UUID oder ihr Name.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>SQLite file; `:memory:`: no file.</source>
        <translation>SQLite-Datei; `:memory:`: keine Datei.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Requests remembered where `store.path` is `:memory:`; 0: 1000.</source>
        <translation>Gemerkte Anfragen, wo `store.path` `:memory:` ist; 0: 1000.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>MB of requests and answers kept for a look; 0: none.</source>
        <translation>MB an Anfragen und Antworten, die zur Ansicht behalten werden; 0: keine.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Do not measure.</source>
        <translation>Nicht messen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>How often, such as `10s`; 5s at least.</source>
        <translation>Wie oft, etwa `10s`; mindestens 5s.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Headers that tell sessions apart; `[]`: none.</source>
        <translation>Kopfzeilen, die Sitzungen unterscheiden; `[]`: keine.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Command line, or list of arguments; empty: external.</source>
        <translation>Befehlszeile oder Liste von Argumenten; leer: ein fremder Server.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>`NAME=value` for its process.</source>
        <translation>`NAME=Wert` für seinen Prozess.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Working folder of its process; empty: the home folder.</source>
        <translation>Arbeitsordner seines Prozesses; leer: der persönliche Ordner.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Path that answers 200 once it is ready.</source>
        <translation>Pfad, der mit 200 antwortet, sobald es bereit ist.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Base URL of its server.</source>
        <translation>Basis-URL seines Servers.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Command that stops it; `${PID}` is its process.</source>
        <translation>Befehl, der es beendet; `${PID}` ist sein Prozess.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Macros of this model alone.</source>
        <translation>Makros nur dieses Modells.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Seconds that a start may take; 0: the global one.</source>
        <translation>Sekunden, die ein Start dauern darf; 0: wie für alle.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Seconds of idleness until it is unloaded; -1: `globalTTL`, 0: never.</source>
        <translation>Sekunden ohne Nutzung, bis es entladen wird; -1: `globalTTL`, 0: nie.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Requests that may wait for it and use it at once; 0: ten.</source>
        <translation>Anfragen, die zugleich auf es warten und es nutzen dürfen; 0: zehn.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Other models never evict it.</source>
        <translation>Andere Modelle verdrängen es nie.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Other names of the model.</source>
        <translation>Andere Namen des Modells.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>The name that its server gets to see.</source>
        <translation>Der Name, den sein Server zu sehen bekommt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>As the global one, for this model.</source>
        <translation>Wie für alle, nur für dieses Modell.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Keep it out of `/v1/models`.</source>
        <translation>Es in `/v1/models` nicht aufführen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Its name for people.</source>
        <translation>Sein Name für Menschen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>A line about it for people.</source>
        <translation>Eine Zeile darüber für Menschen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>GB of video memory it takes; 0: unknown.</source>
        <translation>GB Grafikspeicher, die es belegt; 0: unbekannt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Tokens of context; 0: not said.</source>
        <translation>Token an Kontext; 0: nicht gesagt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Parameters removed from requests, with commas between; never `model`.</source>
        <translation>Parameter, die aus Anfragen entfernt werden, durch Kommas getrennt; nie `model`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Parameters set in requests; never `model`.</source>
        <translation>Parameter, die in Anfragen gesetzt werden; nie `model`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Sets: `a &amp; b`, `a | b`, `+other`, `( )`.</source>
        <translation>Mengen: `a &amp; b`, `a | b`, `+andere`, `( )`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Short names for model ids.</source>
        <translation>Kurznamen für Modellnamen.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Price of evicting a model (1 where unset); the cheapest set wins.</source>
        <translation>Preis, ein Modell zu verdrängen (1, wo nichts steht); die billigste Menge gewinnt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Its base URL.</source>
        <translation>Seine Basis-URL.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>The key that it asks for.</source>
        <translation>Der Schlüssel, den er verlangt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>The names of its models; `auto`: those that it lists itself.</source>
        <translation>Die Namen seiner Modelle; `auto`: die, die er selbst aufführt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Seconds until a connection is there.</source>
        <translation>Sekunden, bis eine Verbindung steht.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Seconds until an answer begins.</source>
        <translation>Sekunden, bis eine Antwort beginnt.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>`warm`: what is loaded; `pin`: the first; `spillover`: the next when busy.</source>
        <translation>`warm`: was geladen ist; `pin`: das erste; `spillover`: das nächste, wenn die anderen zu tun haben.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Models, aliases or models of peers, best first.</source>
        <translation>Modelle, Aliasnamen oder Modelle von Peers, das beste zuerst.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Requests that one target gets before the next one is started.</source>
        <translation>Anfragen, die ein Ziel bekommt, bevor das nächste gestartet wird.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>Anything, shown in `/v1/models`.</source>
        <translation>Beliebiges, steht in `/v1/models`.</translation>
    </message>
    <message>
        <location filename="../../qmdesk/config/schema.py"/>
        <source>What a requested name means while it is on; without a value: nothing.</source>
        <translation>Was ein angefragter Name bedeutet, solange es an ist; ohne Wert: nichts.</translation>
    </message>
</context>
</TS>
