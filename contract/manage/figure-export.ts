import Type, { type Static } from 'typebox';
import { againAfterHours, exportFormatNames, hourlyTables, settledAfterMinutes } from '../exported-tables.js';
import { closed, nullable, Time } from './shared.js';

export const figureExportLimits = {
  /** How far back an export may begin, in days. */
  sinceDays: 400,
  /** Time for the rows of one object, in seconds, the wait for a turn included. */
  readSeconds: 20,
  /** Time for one object to reach the bucket, in seconds. */
  putSeconds: 30,
  prefixChars: 200,
} as const;

const place = {
  endpoint: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description:
      'http or https with the host of the service that has the bucket, such as https://s3.eu-central-1.amazonaws.com.',
  }),
  region: Type.String({
    pattern: '^[A-Za-z0-9-]{1,64}$',
    description:
      'Region that requests are signed for, such as eu-central-1; us-east-1 or auto where there are none.',
  }),
  bucket: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$', description: 'Name of the bucket.' }),
};
const prefix = Type.String({
  maxLength: figureExportLimits.prefixChars,
  pattern: '^(?:[A-Za-z0-9_=.-]+(?:/[A-Za-z0-9_=.-]+)*)?$',
  description: 'Begins the names of all objects, without a slash at its end, such as status/acme.',
});
const accessKeyId = Type.String({
  pattern: '^[A-Za-z0-9_=.+-]{1,128}$',
  description: 'Id of the key that may put objects into the bucket.',
});
const format = Type.Enum([...exportFormatNames]);
const tables = Type.Array(Type.Enum([...hourlyTables]), {
  minItems: 1,
  maxItems: hourlyTables.length,
  uniqueItems: true,
  description: 'Tables of the SQL of the page. Each makes one object an hour.',
});
const enabled = Type.Boolean({
  description: 'Whether hours are exported. Turned on again, it goes on where it was.',
});

const ExportState = closed(
  {
    exportedUntil: Type.String({
      format: 'date-time',
      description: 'End of the last hour of which the bucket has every object.',
    }),
    tables: Type.Array(
      closed({
        table: Type.Enum([...hourlyTables]),
        exportedUntil: Type.String({
          format: 'date-time',
          description: 'End of the last hour of which the bucket has the object.',
        }),
        finalUntil: Type.String({
          format: 'date-time',
          description: `End of the last hour whose object stays as it is. An object is put again ${againAfterHours} hours after the end of its hour, with the rows that came late.`,
        }),
      }),
      { description: 'How far each table has come.' },
    ),
    lastPutAt: nullable(Time),
    failures: Type.Integer({ minimum: 0, description: 'Attempts in a row that failed.' }),
    nextAttemptAt: nullable(Time),
    lastError: nullable(Type.String({ description: 'Why the last attempt failed; null when it did not.' })),
  },
  'How far the export has come.',
);

/** Where the figures of a page go, an hour at a time. */
export const FigureExport = closed({
  ...place,
  prefix,
  accessKeyId,
  hasSecret: Type.Boolean(),
  format,
  tables,
  enabled,
  setAt: Time,
  state: ExportState,
});
export type FigureExport = Static<typeof FigureExport>;

export const PutFigureExport = closed({
  ...place,
  prefix: Type.Optional(prefix),
  accessKeyId,
  secretAccessKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'No answer has it. When absent, it stays; another endpoint or key needs it again.',
    }),
  ),
  format: Type.Optional(format),
  tables: Type.Optional(tables),
  enabled: Type.Optional(enabled),
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description: `The first hour that is exported, up to ${figureExportLimits.sinceDays} days ago, of the tables that are new; without a new one, of all, and objects that are there are written again. The one that was given last changes nothing, unless the place or the format changes. When absent, a table goes on where it is, and a new one begins with the hour that runs. Hours that a table does not keep any more are left out. An hour is exported ${settledAfterMinutes} minutes after its end.`,
    }),
  ),
});
export type PutFigureExport = Static<typeof PutFigureExport>;

export const FigureExportTest = closed({
  isUsable: Type.Boolean(),
  error: nullable(Type.String({ description: 'Why no object can be put.' })),
});
export type FigureExportTest = Static<typeof FigureExportTest>;
