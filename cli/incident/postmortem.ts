import { Postmortem, postmortemLimits } from '../../contract/manage/incidents/postmortems.js';
import { ServiceError } from '../../lib/service-error.js';
import { type Client, Nothing, type Ref } from '../client/client.js';
import { defineCommand } from '../core/define-command.js';
import { UsageError } from '../core/errors.js';
import { readInput } from '../core/read-bounded.js';
import { pageOfIdOption } from '../page.js';

const answer = Postmortem;

const ofIncident = { arguments: { id: 'ID' } } as const;
const whichId = 'ID is that of the incident, as in: heartline incident list';

export const postmortemCommands = [
  defineCommand({
    ...ofIncident,
    runsRemotely: true,
    name: 'postmortem publish',
    summary: 'publish what was learned from an incident that is over',
    help: `Publishes a postmortem, or replaces it. The page of the incident and the feeds show it; nobody is notified. ${whichId}`,
    options: {
      file: {
        value: 'FILE',
        help: `Markdown in the default language of the page, up to ${postmortemLimits.bodyChars.toLocaleString('en')} characters; - reads standard input`,
        required: true,
      },
      translation: {
        value: 'LANGUAGE=FILE',
        help: 'a translation by people; the machine translates the rest; may be repeated',
        multiple: true,
      },
      page: pageOfIdOption,
    },
    json: '',
    async run({ client }, { file, translation = [], ...incident }) {
      const texts = Object.fromEntries(await Promise.all(translation.map(readTranslation)));
      const body = { body: await readFrom('--file', file), ...(translation.length > 0 && { texts }) };
      const path = await pathOf(client, incident);
      const published = await client.send('PUT', path, { answer, body }).catch(nameOptions);
      return { json: published, text: `The postmortem of ${incident.id} is published.\n` };
    },
  }),

  defineCommand({
    ...ofIncident,
    runsRemotely: true,
    name: 'postmortem show',
    summary: 'print the postmortem of an incident',
    help: `Prints the Markdown in the default language of the page; --json has the translations, too. ${whichId}`,
    options: { page: pageOfIdOption },
    json: '',
    async run({ client }, incident) {
      const postmortem = await client.send('GET', await pathOf(client, incident), { answer });
      return { json: postmortem, text: `${postmortem.body}\n` };
    },
  }),

  defineCommand({
    ...ofIncident,
    runsRemotely: true,
    name: 'postmortem delete',
    summary: 'take the postmortem of an incident back',
    help: `Deletes a postmortem with its translations. ${whichId}`,
    options: { page: pageOfIdOption },
    json: '{"deleted": ID}',
    async run({ client }, incident) {
      await client.send('DELETE', await pathOf(client, incident), { answer: Nothing });
      return {
        json: { deleted: incident.id },
        text: `The postmortem of ${incident.id} is deleted.\n`,
      };
    },
  }),
];

async function pathOf(client: Client, incident: Ref): Promise<string> {
  return `${await client.pathTo('incident', incident)}/postmortem`;
}

async function readTranslation(pair: string): Promise<[language: string, text: string]> {
  const [, language = '', file = ''] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
  if (file !== '') return [language, await readFrom('--translation', file)];
  throw new UsageError(
    `--translation must be a language, "=" and a file, such as de=postmortem.de.md; it is "${pair}".`,
  );
}

/** Reads a file, or standard input for `-`, without the line end at its end. */
async function readFrom(option: string, file: string): Promise<string> {
  return readInput(file).then(
    (content) => checkLength(option, content.trimEnd()),
    (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'there is no such file' : error.message.replace(/\.$/, '');
      throw new UsageError(`${option}: ${file} cannot be read: ${why}.`);
    },
  );
}

function checkLength(option: string, text: string): string {
  const { bodyChars } = postmortemLimits;
  if (text.length <= bodyChars) return text;
  throw new UsageError(`${option} must have at most ${bodyChars} characters; it has ${text.length}.`);
}

/** An error about the body names the options in place of the fields. */
function nameOptions(error: unknown): never {
  if (!(error instanceof ServiceError) || error.kind !== 'invalidBody') throw error;
  throw new UsageError(
    error.message.replace(/\/texts(?:\/\S+)?/, '--translation').replace('/body', '--file'),
  );
}
