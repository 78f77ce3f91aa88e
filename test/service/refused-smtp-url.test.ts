import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { runHeartline } from '../support/run-heartline.js';
import { openStores } from '../support/stores.js';

t.test('a bad mail server ends the start with a sentence and leaves nothing running', async (t) => {
  const env = environmentFor(await openStores(t));
  const smtp = {
    ...{ HEARTLINE_SMTP_URL: 'smtp://127.0.0.1:25?from=nobody', LOG_LEVEL: 'silent' },
    ...{ PORT: '0', HEARTLINE_OTLP_GRPC_PORT: '0' },
  };
  const { code, stderr } = await runHeartline(['serve'], { ...env, ...smtp });
  t.equal(code, 1);
  t.equal(stderr, 'heartline: HEARTLINE_SMTP_URL has a "from" that is no email address.\n');
});
