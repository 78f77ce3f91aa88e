#!/bin/sh
# Writes .env for docker-compose.yml, with new passwords, into the parent folder or into the folder given as argument.
# Never changes an existing .env, because the volumes were created with its passwords.
set -eu
umask 077
folder=${1:-$(dirname -- "$0")/..}
file=$folder/.env
if [ -e "$file" ]; then
  echo "$file exists and stays unchanged, because the volumes were created with its passwords." >&2
  exit 1
fi

# 192 random bits in hexadecimal, which need no escaping in a URL.
secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

cat > "$file.new" <<END
# Created by deploy/make-env.sh. Keep it with your backups: without HEARTLINE_SECRET_KEY a restored installation cannot
# decrypt its secrets.
HEARTLINE_SECRET_KEY=$(secret)
POSTGRES_PASSWORD=$(secret)
CLICKHOUSE_PASSWORD=$(secret)
GRAFANA_CLICKHOUSE_PASSWORD=$(secret)
# For Grafana's user admin.
GRAFANA_PASSWORD=$(secret)

# The public address.
#BASE_URL=https://status.example.com
#HEARTLINE_TRUSTED_PROXIES=172.18.0.1
#HEARTLINE_SMTP_URL=smtps://user:password@mail.example.com?from=status@example.com
# Text messages to people on call; docs/contact-ways.md has more.
#HEARTLINE_SMS_URL=https://user:password@api.46elks.com/a1/sms
#HEARTLINE_SMS_FORM='{"to": "{to}", "from": "Heartline", "message": "{text}"}'
#HEARTLINE_WORKERS=2
#COMPOSE_PROFILES=grafana,translate
#HEARTLINE_TRANSLATE_URL=http://translate:5000
#TRANSLATE_LANGUAGES=en,de,es,fr
END
mv "$file.new" "$file"
echo "$file was created."
