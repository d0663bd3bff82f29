#!/usr/bin/env bash
# Makes the certificates of the processes of a network, with openssl, in a folder.
#
#   certificates.sh FOLDER authority                           ca.pem and ca.key
#   certificates.sh FOLDER owner NAME HOST NETWORK TREE..      NAME.pem and NAME.key of a process that may own these trees
#   certificates.sh FOLDER node NAME HOST NETWORK ROLE..       NAME.pem and NAME.key of a node of these roles
#   certificates.sh FOLDER revoke NAME..                       revoked.pem: no certificate of these names holds any more
#
# HOST is the name or the address under which others connect to the process; any name, if nobody does. NAME, NETWORK, TREE and
# ROLE may be '*'. Keep ca.key away from the machines that run the processes. DAYS is the life of a certificate, 365 if it is
# not set.
set -euo pipefail
here=$(realpath "$0")
usage() {
    sed -n '4,8s/^# \{0,1\}//p' "$here" >&2
    exit 2
}
[[ $# -ge 2 ]] || usage
folder=$1 order=$2
shift 2
mkdir -p "$folder"
cd "$folder"
umask 077
days=${DAYS:-365}

# The settings of openssl for lists of revoked certificates, which it keeps in index.txt.
settings() {
    touch index.txt
    [[ -e crlnumber ]] || echo 01 >crlnumber
    printf '%s\n' '[ca]' 'default_ca = here' '[here]' 'database = index.txt' 'crlnumber = crlnumber' \
        'default_md = sha256' 'default_crl_days = 3650' 'private_key = ca.key' 'certificate = ca.pem' >openssl.cnf
}

# The certificate of a process: for a side, a name and a host in a network, and its trees or roles.
certify() {
    local side=$1 name=$2 host=$3 network=$4 file=${2//\*/any} names kind=DNS of serial
    [[ $file != ca ]] || { echo "the files of \`ca\` are those of the authority; take another name" >&2; exit 1; }
    shift 4
    [[ $host =~ ^[0-9.]+$ || $host == *:* ]] && kind=IP
    names="$kind:$host"
    for of in "$@"; do names+=",URI:supervise://$name@$network/$side/$of"; done
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$file.key" 2>/dev/null
    openssl req -new -key "$file.key" -subj "/CN=$file" |
        openssl x509 -req -CA ca.pem -CAkey ca.key -days "$days" -out "$file.pem" 2>/dev/null -extfile <(
            echo "subjectAltName = $names"
            echo "extendedKeyUsage = serverAuth, clientAuth"
            echo "basicConstraints = critical, CA:false"
        )
    openssl verify -CAfile ca.pem "$file.pem" >/dev/null
    chmod 644 "$file.pem"
    # A certificate that is replaced can still be revoked.
    serial=$(openssl x509 -in "$file.pem" -noout -serial)
    mkdir -p issued
    cp "$file.pem" "issued/$file-${serial#serial=}.pem"
    echo "$folder/$file.pem"
}

case $order in
authority)
    [[ $# == 0 ]] || usage
    [[ ! -e ca.key ]] || { echo "$folder has an authority already; take another folder" >&2; exit 1; }
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 3650 \
        -subj "/CN=supervise authority of $(date -u +%Y-%m-%dT%H:%M:%SZ)" \
        -addext "basicConstraints = critical, CA:true" -addext "keyUsage = critical, keyCertSign, cRLSign" 2>/dev/null
    chmod 644 ca.pem
    echo "$folder/ca.pem"
    ;;
owner | node)
    [[ $# -ge 4 ]] || usage
    certify "$order" "$@"
    ;;
revoke)
    settings
    for name in "$@"; do
        [[ -e $name.pem ]] || { echo "there is no certificate of $name in $folder" >&2; exit 1; }
        for issued in issued/"$name"-*.pem; do
            serial=${issued##*-}
            grep -q "^R.*${serial%.pem}" index.txt || openssl ca -config openssl.cnf -revoke "$issued" 2>/dev/null
        done
    done
    # A new file in one step: a process reads it at any time.
    openssl ca -config openssl.cnf -gencrl -out revoked.new 2>/dev/null
    chmod 644 revoked.new
    mv revoked.new revoked.pem
    echo "$folder/revoked.pem"
    ;;
*) usage ;;
esac
