import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { figureFields, figureLimits } from '../public/public-figures.js';
import { serviceStates } from '../public/service-states.js';
import { accessLimits, looksLimits, ownerEmailsMax } from '../public/status-page.js';
import { capabilities } from '../scopes.js';
import { closed, Id, nullable, Time } from './shared.js';
import { traceUrlChars } from './trace-url.js';

const FooterLink = closed({
  label: Type.String({ minLength: 1 }),
  url: Type.String({ description: 'http, https or mailto.' }),
});

/** The settings of a page that can change. */
const settings = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  hostname: Type.String({
    minLength: 1,
    maxLength: 253,
    description: 'Where readers find the page, such as status.example.com; no other page has it.',
  }),
  languages: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 50,
    description: 'BCP 47 tags, in the order in which the page offers them.',
  }),
  defaultLanguage: Type.String({
    description: 'One of the languages; fixed once the page has monitors or incidents.',
  }),
  historyDays: Type.Integer({
    minimum: 7,
    maximum: 90,
    description: 'How many days of uptime the page shows; 90 when absent.',
  }),
  responseTimesSince: Type.String({
    format: 'date',
    description: 'First UTC day of the published response times.',
  }),
  timeZone: Type.String({
    maxLength: 64,
    description: 'Such as Europe/Berlin, where maintenance is planned; UTC when absent.',
  }),
  accent: nullable(Type.String({ description: 'A colour such as #3346d3; null for the default.' })),
  footerLinks: Type.Array(FooterLink, {
    maxItems: looksLimits.footerLinks,
    description: 'The whole list, in order.',
  }),
  figures: Type.Array(
    closed({
      title: Type.String({ minLength: 1, description: 'In the default language of the page.' }),
      ...figureFields,
      endpoint: nullable(
        Type.String({ description: 'null for all endpoints of the service. It is not published.' }),
      ),
    }),
    {
      maxItems: figureLimits.figures,
      description: 'What the page publishes of its requests. The whole list, in order.',
    },
  ),
  logoAlone: Type.Boolean({ description: 'Whether the logo is shown without the name beside it.' }),
  ownerEmails: Type.Array(Type.String(), {
    maxItems: ownerEmailsMax,
    description: 'Who gets notices of failures that only the people who run the page can fix.',
  }),
  traceUrl: nullable(
    Type.String({
      maxLength: traceUrlChars,
      description:
        'Address of a trace in your tracing tool, such as https://tempo.example/trace/{traceId}, to which samples of failures link; {spanId} is replaced, too. null without a tool. It is not published.',
    }),
  ),
  monitoringPaused: Type.Boolean({ description: 'Whether no monitor of the page is checked.' }),
  databaseHealth: Type.Boolean({ description: 'Whether the page takes reports of databases.' }),
  incidentsFromMonitors: Type.Boolean({ description: 'Whether a monitor that goes down opens an incident.' }),
  publicMetrics: Type.Boolean({
    description: 'Whether anybody may read the state of the monitors in the formats of Prometheus.',
  }),
  private: Type.Boolean({
    description:
      'Whether only those may read the page who know its password, come from an allowed address, or are signed in and may read it.',
  }),
  allowedAddresses: Type.Array(Type.String({ description: 'An address, or a network such as 10.0.0.0/8.' }), {
    maxItems: accessLimits.addresses,
    description: 'The whole list of those whose clients may read a private page.',
  }),
  capabilities: Type.Array(Type.Enum([...capabilities]), {
    uniqueItems: true,
    description: 'What the account of the page may do. Only admins of the installation change it.',
  }),
};

const Slug = Type.String({ pattern: '^[a-z0-9-]{1,63}$', description: 'Names the page in paths; fixed.' });

/** A page as lists and answers show it. */
export const ManagedPage = closed({
  id: Id,
  slug: Slug,
  ...settings,
  hasPassword: Type.Boolean({ description: 'Whether readers can open a private page with a password.' }),
  hasLogo: Type.Boolean(),
  logo: nullable(Type.String({ description: 'Path of the logo on the host of the page.' })),
  createdAt: Time,
  url: Type.String({ description: 'Where readers open the page.' }),
});
export type ManagedPage = Static<typeof ManagedPage>;

const PageStanding = closed(
  {
    state: Type.Enum([...serviceStates]),
    affected: Type.Integer({ description: 'How many services are in this state.' }),
    services: Type.Integer({ description: 'How many services the page shows.' }),
    openIncidents: Type.Integer(),
  },
  'How the page stands, by the last known states of its monitors and by what is announced.',
);

/** A page in the list of pages. */
export const ListedPage = closed({
  ...ManagedPage.properties,
  standing: Type.Optional(PageStanding),
});
export type ListedPage = Static<typeof ListedPage>;

const changes = {
  ...Type.Partial(closed(settings)).properties,
  name: Type.Optional(Line('line', { charsMax: 200 })),
  footerLinks: Type.Optional(
    Type.Array(closed({ ...FooterLink.properties, label: Line('title') }), {
      maxItems: looksLimits.footerLinks,
      description: 'The whole list, in order.',
    }),
  ),
  figures: Type.Optional(
    Type.Array(
      closed({
        title: Line('title', { description: 'In the default language of the page.' }),
        ...figureFields,
        endpoint: Type.Optional(
          nullable(
            Type.String({ description: 'All endpoints of the service when absent. It is not published.' }),
          ),
        ),
      }),
      {
        maxItems: figureLimits.figures,
        description: 'What the page publishes of its requests. The whole list, in order.',
      },
    ),
  ),
  password: Type.Optional(
    nullable(
      Type.String({
        minLength: accessLimits.passwordCharsMin,
        maxLength: accessLimits.passwordCharsMax,
        description: 'For the readers of a private page; null removes it. It is stored as a hash alone.',
      }),
    ),
  ),
};

export const ChangeManagedPage = closed(changes);

export const CreateManagedPage = closed({
  ...changes,
  slug: Slug,
  hostname: settings.hostname,
});

export const DeleteManagedPage = closed({
  confirm: Type.String({ description: 'The slug of the page.' }),
});
