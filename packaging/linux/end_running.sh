# Sourced: end_running PROGRAM asks every running PROGRAM to quit, waits, and ends what hangs.

# Servers and their supervisor are the same program; they end with the application.
_running() {
    for each in /proc/[0-9]*; do
        [ "$(readlink "$each/exe" 2>/dev/null)" = "$1" ] || continue
        case $(tr '\0' '\n' <"$each/cmdline" 2>/dev/null | sed -n 2p) in
            llama-server | supervise) ;;
            *) echo "${each#/proc/}" ;;
        esac
    done
}

end_running() {
    pids=$(_running "$1")
    [ -n "$pids" ] || return 0
    echo "ending the running qmdesk; start it again afterwards"
    kill -TERM $pids 2>/dev/null || true
    # It gives its models ten seconds, and itself twenty.
    tries=250
    while [ -n "$(_running "$1")" ] && [ "$tries" -gt 0 ]; do
        sleep 0.1
        tries=$((tries - 1))
    done
    pids=$(_running "$1")
    [ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
}
