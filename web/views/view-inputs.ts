import type { PublicFigure } from '../../contract/public/public-figures.js';
import type { PublicObjective } from '../../contract/public/public-objectives.js';
import type { ResponseTimes } from '../../contract/public/response-times.js';
import type {
  DayIncident,
  PageBrand,
  PageSummary,
  ServiceGroup,
  ShownIncident,
} from '../../contract/public/status-page.js';

/** Input of every public view. */
export type ViewInput = {
  brand: PageBrand;
  /** One of the languages of the page. */
  language: string;
  /** Time of the rendering, in milliseconds since the epoch. */
  now: number;
  /** Whether the service sends email; readers may then sign up for it. */
  sendsMail: boolean;
};

/** Input of the status view. `incidents` are the open, running, planned and recent ones (14 days) of the ledger. */
export type StatusViewInput = ViewInput & {
  historyDays: number;
  summary: PageSummary;
  /** In order; services without a group stand in front. */
  groups: readonly ServiceGroup[];
  /** For all services, over the range that the charts show. */
  responseTimes: ResponseTimes;
  objectives: readonly PublicObjective[];
  /** The figures of requests that the page publishes; null while they cannot be read. */
  publicFigures: readonly PublicFigure[] | null;
  incidents: readonly ShownIncident[];
  /** The incidents that the days of the history name. */
  dayIncidents: readonly DayIncident[];
};

/** Input of the history view: a page of the incidents that began in one month of UTC, newest first. */
export type HistoryViewInput = ViewInput & {
  /** `YYYY-MM`. */
  month: string;
  /** The neighbouring months that have a view. */
  earlier?: string;
  later?: string;
  /** From 1 to `pages`; the first has the newest. */
  page: number;
  pages: number;
  incidents: readonly ShownIncident[];
  /** Names of the services in the language, by slug. */
  serviceNames: Readonly<Record<string, string>>;
};

/** Input of the incident view: one incident or maintenance with its timeline. */
export type IncidentViewInput = ViewInput & {
  incident: ShownIncident;
  serviceNames: Readonly<Record<string, string>>;
};
