import Type, { type Static } from 'typebox';
import { channelKinds, channelRegions, channelTopics } from '../channels.js';
import { announcementKinds } from '../incidents.js';
import { engines } from '../observations.js';
import { figureFields, figureLimits } from '../public/public-figures.js';
import { accessLimits, looksLimits, ownerEmailsMax } from '../public/status-page.js';
import { alertingSections } from './apply-alerting.js';
import { boardSections } from './apply-boards.js';
import { FileMonitor, secret } from './apply-monitor.js';
import { PutTemplate } from './incidents/templates.js';
import { closed, nullable } from './shared.js';

/** Where an installation publishes the JSON Schema of the file. */
export const applySchemaPath = '/apply.schema.json';

const FilePage = closed(
  {
    slug: Type.String({ pattern: '^[a-z0-9-]{1,63}$', description: 'Names the page; cannot be changed.' }),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'The default is the slug.' }),
    ),
    hostname: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'Needed for a page that does not exist yet.',
      }),
    ),
    languages: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 50,
        description: 'BCP 47 tags; the default is en.',
      }),
    ),
    defaultLanguage: Type.Optional(
      Type.String({
        description:
          'One of the languages; the default is the first. Fixed once the page has monitors or incidents.',
      }),
    ),
    historyDays: Type.Optional(
      Type.Integer({
        minimum: 7,
        maximum: 90,
        description: 'Days of uptime that the page shows; the default is 90.',
      }),
    ),
    responseTimesSince: Type.Optional(
      Type.String({ format: 'date', description: 'First UTC day of the published response times.' }),
    ),
    timeZone: Type.Optional(
      Type.String({
        description: 'Such as Europe/Berlin, where maintenance is planned; the default is UTC.',
      }),
    ),
    accent: Type.Optional(
      Type.String({
        pattern: '^(#[0-9A-Fa-f]{6}|none)$',
        description:
          'A colour such as "#3346d3", in quotes, because # begins a comment; none for the default.',
      }),
    ),
    footerLinks: Type.Optional(
      Type.Array(closed({ label: Type.String({ minLength: 1 }), url: Type.String() }), {
        maxItems: looksLimits.footerLinks,
        description: 'The whole list, in order.',
      }),
    ),
    figures: Type.Optional(
      Type.Array(
        closed({
          title: Type.String({ minLength: 1, description: 'In the default language of the page.' }),
          ...figureFields,
          endpoint: Type.Optional(
            Type.Union([Type.String(), Type.Null()], { description: 'All of the service when absent.' }),
          ),
        }),
        {
          maxItems: figureLimits.figures,
          description: 'What the page publishes of its requests. The whole list, in order.',
        },
      ),
    ),
    logoAlone: Type.Optional(Type.Boolean({ description: 'Whether the logo is shown without the name.' })),
    traceUrl: Type.Optional(
      Type.String({
        description: 'Address of a trace in your tracing tool, with {traceId} in it; "none" for none.',
      }),
    ),
    ownerEmails: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: ownerEmailsMax,
        description: 'Who gets notices of failures that only the people who run the page can fix.',
      }),
    ),
    databaseHealth: Type.Optional(
      Type.Boolean({ description: 'Whether the page takes reports of databases.' }),
    ),
    incidentsFromMonitors: Type.Optional(
      Type.Boolean({ description: 'Whether a monitor that goes down opens an incident.' }),
    ),
    publicMetrics: Type.Optional(
      Type.Boolean({
        description: 'Whether anybody may read the state of the monitors in the formats of Prometheus.',
      }),
    ),
    private: Type.Optional(
      Type.Boolean({
        description:
          'Whether only those may read the page whom its password, an allowed address or their role lets in.',
      }),
    ),
    allowedAddresses: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: accessLimits.addresses,
        description:
          'The whole list of addresses and networks such as 10.0.0.0/8 that may read a private page.',
      }),
    ),
  },
  'The page. A setting that is absent stays as it is.',
);

const FileGroup = closed(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'In the default language of the page.' }),
    names: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Names in other languages of the page.',
      }),
    ),
    collapsed: Type.Optional(
      Type.Boolean({
        description:
          'Whether the page shows it closed while all of its services are operational; false when absent.',
      }),
    ),
  },
  'A group, under whose name the page shows monitors.',
);

const FileWebhook = closed(
  {
    url: secret('Where deliveries are posted, https:// or http://. It tells webhooks apart.'),
    events: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: `Of ${announcementKinds.join(', ')}, incident.* and maintenance.*; every event when absent.`,
      }),
    ),
    enabled: Type.Optional(Type.Boolean({ description: 'Whether events are delivered; true when absent.' })),
  },
  'A webhook. The service makes its secret.',
);
export type FileWebhook = Static<typeof FileWebhook>;

const FileAlertRule = closed(
  {
    thresholdPercent: Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description: 'From this share of failed requests.',
    }),
    windowSeconds: Type.Integer({
      minimum: 60,
      maximum: 86_400,
      multipleOf: 60,
      description: 'Over this time.',
    }),
    minimumRequests: Type.Integer({
      minimum: 1,
      description: 'With fewer requests in the window, no incident opens.',
    }),
  },
  'When the traffic of the page opens an incident.',
);

const FileConnection = closed(
  {
    name: Type.String({ minLength: 1, description: 'Tells connections apart.' }),
    engine: Type.Enum([...engines]),
  },
  'A database connection that observations name.',
);
export type FileConnection = Static<typeof FileConnection>;

const FileChannel = closed(
  {
    kind: Type.Enum([...channelKinds], { description: 'Cannot be changed.' }),
    settings: Type.Optional(
      closed(
        {
          url: Type.Optional(secret('Incoming webhook of a chat, or the address of a program.')),
          server: Type.Optional(Type.String({ description: 'Of ntfy, Gotify or a Bot API of your own.' })),
          topic: Type.Optional(secret('Topic of ntfy.')),
          token: Type.Optional(secret('Of a Telegram bot, of Gotify, Pushover or ntfy.')),
          chat: Type.Optional(Type.String({ description: 'Chat of Telegram.' })),
          user: Type.Optional(secret('Key of a user or group of Pushover.')),
          routingKey: Type.Optional(secret('Integration key of a PagerDuty service.')),
          apiKey: Type.Optional(secret('API key of an Opsgenie integration.')),
          region: Type.Optional(Type.Enum([...channelRegions])),
          secret: Type.Optional(secret('Signs the messages to a webhook.')),
        },
        'What the kind needs. Secrets that are set stay when they are absent.',
      ),
    ),
    topics: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: `Of ${channelTopics.join(', ')}; everything when absent.`,
      }),
    ),
    quietHours: Type.Optional(
      closed({ from: Type.String(), to: Type.String() }, 'Such as 22:00 and 07:00; none when absent.'),
    ),
    enabled: Type.Optional(Type.Boolean({ description: 'Whether it sends messages; true when absent.' })),
  },
  'A channel that tells the team of the page of trouble.',
);
export type FileChannel = Static<typeof FileChannel>;

const { slug: _, ...templateFields } = PutTemplate.properties;

const FileTemplate = closed(
  templateFields,
  'What incidents or maintenance begin from. What is absent is empty.',
);
export type FileTemplate = Static<typeof FileTemplate>;

/**
 * The file that `heartline apply` reads and `heartline export` writes. A section that is absent is not managed by the file.
 *
 * Names are any texts: one that is stored is exported and applied as it is, and the service checks those that change.
 */
export const ApplyFile = closed(
  {
    $schema: Type.Optional(Type.String({ description: 'Address of this schema, for editors.' })),
    page: FilePage,
    groups: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z0-9-]{1,63}$' }), FileGroup, {
        description: 'Groups of monitors by slug. A new one takes its place behind those that are there.',
      }),
    ),
    monitors: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z0-9-]{1,63}$' }), FileMonitor, {
        description: 'Monitors by slug. A new one takes its place behind those that are there.',
      }),
    ),
    webhooks: Type.Optional(Type.Array(FileWebhook)),
    alertRule: Type.Optional(nullable(FileAlertRule)),
    connections: Type.Optional(Type.Array(FileConnection)),
    templates: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z0-9-]{1,63}$' }), FileTemplate, {
        description: 'Templates of incidents and maintenance by slug.',
      }),
    ),
    channels: Type.Optional(
      Type.Record(Type.String({ pattern: '^[^\\u0000-\\u001f]{1,80}$' }), FileChannel, {
        description: 'Channels by name.',
      }),
    ),
    ...alertingSections,
    ...boardSections,
  },
  'A status page of Heartline and what belongs to it. A section that is absent stays as it is, also with --prune.',
);
export type ApplyFile = Static<typeof ApplyFile>;
