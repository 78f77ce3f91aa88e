import { SecretDialog } from '../../kit/secret.js';
import { useTexts } from '../../texts.js';
import { webhooksTexts } from './texts.js';

type SecretProps = { title: string; secret: string; onClose(): void };

/** The secret of a webhook, once, with the lines that verify a delivery. */
export function WebhookSecret({ title, secret, onClose }: SecretProps) {
  const texts = useTexts(webhooksTexts);
  return (
    <SecretDialog
      title={title}
      label={texts.secret}
      secret={secret}
      uses={[
        { title: texts.useNode, text: inNode },
        { title: texts.usePython, text: inPython },
        { title: texts.useEnv, text: `WEBHOOK_SECRET=${secret}` },
      ]}
      onClose={onClose}
    />
  );
}

/** Without a library: the secret stays in the environment. */
const inNode = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { env } from 'node:process';

/** Whether a delivery is genuine. \`body\` is the text exactly as it arrived. */
export function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  if (Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const key = Buffer.from(env.WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${at}.\${body}\`).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.slice('v1,'.length), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

const inPython = `import base64, hashlib, hmac, os, time

def is_genuine(headers, body: bytes) -> bool:
    """Whether a delivery is genuine. \`body\` is exactly what arrived."""
    sent_at = headers["webhook-timestamp"]
    if abs(time.time() - int(sent_at)) > 300:
        return False
    key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
    signed = f'{headers["webhook-id"]}.{sent_at}.'.encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(f"v1,{expected}", one) for one in headers["webhook-signature"].split(" "))`;
