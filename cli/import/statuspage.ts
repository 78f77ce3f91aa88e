import { Compile } from 'typebox/compile';
import { monitorLimits } from '../../contract/monitors.js';
import { StatuspageComponents } from '../../contract/public/statuspage.js';
import { describeFirstError } from '../../lib/parse-body.js';
import { UsageError } from '../core/errors.js';
import { createCollector, type Imported } from './imported.js';

const answerMsMax = 20_000;
const answerBytesMax = 5_000_000;

/**
 * What a page takes of a page of Statuspage: its components become services without checks, in the same groups. Reads its
 * public API, which other products answer as well.
 *
 * @param address of the page, such as https://status.example.com
 * @throws UsageError for an address where there is no such API
 */
export async function importStatuspage(address: string): Promise<Imported> {
  const url = new URL('/api/v2/components.json', addressOf(address));
  const value = await readJson(url);
  const check = Compile(StatuspageComponents);
  if (!check.Check(value)) {
    throw new UsageError(`${url.href} is not the API of Statuspage: ${describeFirstError(check, value)}`);
  }
  const into = createCollector();
  const groups = new Map(value.components.filter(({ group }) => group).map(({ id, name }) => [id, name]));
  for (const {
    name,
    description,
    group_id: groupId,
    group,
    only_show_if_degraded: isShy,
  } of value.components) {
    if (group) continue;
    const groupName = groupId === null ? undefined : groups.get(groupId);
    const text = description?.replaceAll(/\s+/g, ' ').trim().slice(0, monitorLimits.descriptionChars);
    into.monitor(
      {
        ...{ type: 'manual', name },
        ...(groupName !== undefined && { group: into.group(groupName) }),
        ...(text && { description: text }),
      },
      isShy ? ['it was shown only while it was degraded, and is always shown here'] : [],
    );
  }
  return into.imported;
}

function addressOf(text: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw new UsageError(`"${text}" is no address; give that of the page, such as https://status.example.com.`);
}

async function readJson(url: URL): Promise<unknown> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerMsMax) });
    const text = await answer.text();
    if (!answer.ok || text.length > answerBytesMax) throw new Error(`it answered ${answer.status}`);
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${url.href} could not be read: ${error instanceof Error ? error.message : error}`);
  }
}
