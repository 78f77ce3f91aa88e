import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { gatusEndpointKeys, gatusExternalKeys, gatusKeys } from '../../../cli/import/gatus-keys.js';
import { kenerCheckKeys, kenerKeys, kenerTableKeys } from '../../../cli/import/kener-keys.js';
import type { Keys } from '../../../cli/import/keys.js';
import { kumaBackupKeys, kumaKeys, kumaTableKeys } from '../../../cli/import/kuma-keys.js';
import { statuspageComponentKeys, statuspageIncidentKeys } from '../../../cli/import/statuspage-keys.js';
import { upptimeKeys, upptimeSiteKeys } from '../../../control/monitors/import/upptime-keys.js';

const tables: Readonly<Record<string, Keys>> = {
  ...{ 'Monitors of Uptime Kuma': kumaKeys, 'Backup of Uptime Kuma': kumaBackupKeys },
  ...{ 'Tables of Uptime Kuma': kumaTableKeys },
  ...{ 'Sections of Upptime': upptimeKeys, 'Sites of Upptime': upptimeSiteKeys },
  ...{ 'Sections of Gatus': gatusKeys, 'Endpoints of Gatus': gatusEndpointKeys },
  'External endpoints of Gatus': gatusExternalKeys,
  ...{ 'Monitors of Kener': kenerKeys, 'Checks of Kener': kenerCheckKeys, 'Tables of Kener': kenerTableKeys },
  ...{
    'Components of Statuspage': statuspageComponentKeys,
    'Incidents of Statuspage': statuspageIncidentKeys,
  },
};

t.test('docs/import.md lists what each import does with each setting', async (t) => {
  const text = await readFile(fileURLToPath(new URL('../../../../docs/import.md', import.meta.url)), 'utf8');
  const written = [...text.matchAll(/^### (.+)\n\n\|.*\n\|.*\n((?:\|.*\n)+)/gm)].map(
    ([, title = '', rows = '']) => {
      const entries = [...rows.matchAll(/^\| (\w+) \| (.+) \|$/gm)].flatMap(([, use = '', keys = '']) =>
        [...keys.matchAll(/`([^`]+)`/g)].map(([, key = '']) => [key, use]),
      );
      return [title, Object.fromEntries(entries)];
    },
  );
  t.same(Object.fromEntries(written), tables);
});
