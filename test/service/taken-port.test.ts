import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { parseConfig } from '../../service/config.js';
import { serve } from '../../service/main.js';
import { listenUntilEnd } from '../support/listen.js';
import { temporaryFolder } from '../support/temporary-folder.js';

t.test('a port for gRPC that somebody has chosen and is taken is said as well', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  const port = await listenUntilEnd(t, createServer());
  const config = parseConfig({
    ...{ PORT: '0', HEARTLINE_OTLP_GRPC_PORT: String(port), HEARTLINE_DATA_DIR: dataDir },
    ...{ LOG_LEVEL: 'silent', HEARTLINE_LOG_FORMAT: 'json' },
  });
  await t.rejects(serve(config, new Set(['api'])), {
    message: `Port ${port} on 127.0.0.1 is taken; choose another one with HEARTLINE_OTLP_GRPC_PORT.`,
  });
  t.notOk(existsSync(dataDir), 'no store was made');
});

t.test('a port that is taken is said before the stores start', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  const port = await listenUntilEnd(t, createServer());
  const config = parseConfig({
    ...{ PORT: String(port), HEARTLINE_DATA_DIR: dataDir, LOG_LEVEL: 'silent', HEARTLINE_LOG_FORMAT: 'json' },
  });
  await t.rejects(serve(config, new Set(['api'])), {
    message: `Port ${port} on 127.0.0.1 is taken; choose another one with PORT.`,
  });
  t.notOk(existsSync(dataDir), 'no store was made');
});
