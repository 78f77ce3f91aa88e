#!/bin/sh
# Writes .env for docker-compose.yml, with passwords of its own, into the folder above this one or the one that is named.
# It never touches an .env that is there: its passwords are those of the volumes.
set -eu
umask 077
folder=${1:-$(dirname -- "$0")/..}
file=$folder/.env
if [ -e "$file" ]; then
  echo "$file is there already and stays as it is." >&2
  exit 1
fi

# 192 random bits in hexadecimal, which need no escaping in a URL.
secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

cat > "$file.new" <<END
# Made by deploy/make-env.sh. Keep it with your backups: without HEARTLINE_SECRET_KEY a restored installation cannot
# read what it has encrypted.
HEARTLINE_SECRET_KEY=$(secret)
POSTGRES_PASSWORD=$(secret)
CLICKHOUSE_PASSWORD=$(secret)
GRAFANA_CLICKHOUSE_PASSWORD=$(secret)
# Of Grafana's user admin.
GRAFANA_PASSWORD=$(secret)

# The address that people see.
#BASE_URL=https://status.example.com
#HEARTLINE_TRUSTED_PROXIES=172.18.0.1
#HEARTLINE_SMTP_URL=smtps://user:password@mail.example.com?from=status@example.com
#HEARTLINE_WORKERS=2
#COMPOSE_PROFILES=grafana,translate
#HEARTLINE_TRANSLATE_URL=http://translate:5000
#TRANSLATE_LANGUAGES=en,de,es,fr
END
mv "$file.new" "$file"
echo "$file was made."
