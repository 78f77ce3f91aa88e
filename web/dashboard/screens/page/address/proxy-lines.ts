/** The port of a service whose settings name none. */
const usualPort = 8080;

/** Lines for a proxy in front of the service; `port` is the one on which the service listens, on the same machine. */
type Lines = { title: string; text: string };

/** A host name with TLS, which leads to the service. The configurations in deploy/proxy have limits as well. */
export function proxyLines(hostname: string, port = usualPort): Lines[] {
  return [
    {
      title: 'Caddy',
      text: `${hostname} {
	reverse_proxy 127.0.0.1:${port} {
		header_up X-Forwarded-Host {host}
	}
}`,
    },
    {
      title: 'nginx',
      text: `server {
    listen 443 ssl;
    listen [::]:443 ssl;
    server_name ${hostname};
    ssl_certificate /etc/ssl/heartline/fullchain.pem;
    ssl_certificate_key /etc/ssl/heartline/privkey.pem;
    location / {
        proxy_pass http://127.0.0.1:${port};
        proxy_http_version 1.1;
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-Host $host;
        proxy_set_header X-Forwarded-For $remote_addr;
    }
}`,
    },
  ];
}
