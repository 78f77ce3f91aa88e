import { channelFields, channelLimits, channelNames } from '../../contract/channels.js';
import { ManagedChannel } from '../../contract/manage/channels.js';
import { listChannels } from '../channel.js';
import { Nothing } from '../client/client.js';
import {
  type Change,
  differences,
  nothing,
  type PlanInput,
  type PlanOn,
  type PlanPart,
  withDeletes,
} from './change.js';
import { channelFieldsOf, type DesiredChannel } from './desired-channels.js';
import { FileError } from './read-file.js';

/** Plans the channels of the page, which their names tell apart. */
export async function planChannels(
  { client, path: pagePath, exists }: PlanOn,
  { desired: { channels: wanted, placeOf }, prunes }: PlanInput,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const pathOf = (name: string) => `${pagePath}/channels/${encodeURIComponent(name)}`;
  const present = exists ? await listChannels(client, pagePath) : [];
  const plan = nothing();
  const remove = async ({ id }: ManagedChannel) => {
    await client.send('DELETE', pathOf(id), { answer: Nothing });
    return {};
  };
  for (const channel of wanted) {
    const { name, put, fields, sendsSecrets } = channel;
    const place = placeOf(channel.path);
    const before = present.find((one) => one.name === name);
    const make = async () => {
      await client.send('PUT', pathOf(name), { answer: ManagedChannel, body: put });
      return {};
    };
    const isOther = before !== undefined && before.kind !== put.kind;
    const change = {
      ...({ noun: 'channel', name, place } as const),
      fields: differences(before && !isOther ? channelFieldsOf(before) : undefined, fields),
    };
    if (before === undefined || isOther) refuseWithoutSecrets(place, channel);
    if (before === undefined) plan.makes.push({ ...change, verb: 'create', make });
    else if (isOther) {
      if (!prunes) throw otherKind(place, before, channel);
      plan.makes.push({ ...change, verb: 'replace', make: () => remove(before).then(make) });
    } else if (change.fields.length > 0) plan.makes.push({ ...change, verb: 'update', make });
    else if (sendsSecrets) plan.sends.push({ noun: 'channel', name, place, make });
  }
  const deletes = present
    .filter(({ name }) => !wanted.some((channel) => channel.name === name))
    .map(
      (channel): Change => ({
        ...{ verb: 'delete', noun: 'channel', name: channel.name, fields: [] },
        make: () => remove(channel),
      }),
    );
  return withDeletes(plan, { deletes, prunes, room: channelLimits.channelsPerPage - present.length });
}

/** A file that was exported has no secrets, without which a channel cannot be made. */
function refuseWithoutSecrets(place: string, { name, put: { kind, settings } }: DesiredChannel): void {
  const missing = channelFields[kind].needs.filter((field) => (settings[field] ?? '') === '');
  if (missing.length === 0) return;
  throw new FileError(
    `${place}: The page has no channel "${name}" of this kind yet, and ${channelNames[kind]} needs ${missing.join(' and ')}; write it in settings, as {env: NAME}.`,
  );
}

function otherKind(place: string, { name, kind }: ManagedChannel, wanted: DesiredChannel): FileError {
  return new FileError(
    `${place}: The channel "${name}" is of the kind ${kind} and cannot become ${wanted.put.kind}; with --prune it is deleted and made again.`,
  );
}
