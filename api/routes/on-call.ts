import type { Context } from 'koa';
import Type from 'typebox';
import { findCalendar } from '../../control/schedules/index.js';
import type { Clock } from '../../lib/clock.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { minuteMs } from '../../lib/times.js';
import { createWindowCounter, networkOf } from '../../lib/window-counter.js';
import type { Sql } from '../../sql/open-postgres.js';
import { calendarMediaType, drawCalendar } from '../../web/feeds/calendar.js';
import type { OriginParser } from '../request-origin.js';
import type { OpenRoute } from '../route.js';

type Deps = { sql: Sql; clock: Clock; parseOrigin: OriginParser };

/** Applications ask once an hour; a hundred people of one office share an address. */
const requestsPerMinute = 120;
/** Networks in memory; beyond that the one that was silent longest is forgotten. */
const networksMax = 20_000;

const CalendarParameters = Type.Object({
  person: Type.Optional(
    Type.String({ description: 'An email: the shifts of this person alone. Nobody else has any.' }),
  ),
});

/** The calendars of schedules, each behind a secret address. */
export function calendarRoutes(deps: Deps): OpenRoute[] {
  const networks = createWindowCounter<string>({
    ...{ clock: deps.clock, windowMs: minuteMs, keysMax: networksMax },
  });
  return [
    {
      method: 'GET',
      path: '/on-call/:feed.ics',
      operationId: 'getOnCallCalendar',
      summary: 'The shifts of a schedule as a calendar',
      description:
        'The shifts of a schedule as a calendar (RFC 5545): those that ended within the last 7 days, and those that begin within the next 60. The address is secret; a page has it from its schedules',
      sameOnEveryHost: true,
      query: CalendarParameters,
      answers: { 200: { mediaTypes: [calendarMediaType] } },
      errors: ['invalidParameter', 'notFound', 'rateLimited', 'storeUnavailable'],
      async handle(ctx) {
        const { clientAddress } = deps.parseOrigin(ctx);
        const msLeft = networks.count(networkOf(clientAddress), requestsPerMinute);
        if (msLeft !== undefined) {
          throw new ServiceError('rateLimited', {
            retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1_000)),
          });
        }
        await answerCalendar(deps, ctx);
      },
    },
  ];
}

async function answerCalendar({ sql, clock }: Deps, ctx: Context): Promise<void> {
  const email = personOf(ctx.query['person']);
  const now = clock.now();
  const token = String(ctx['params'].feed);
  const calendar = await findCalendar({ sql }, { token, now }).catch((cause: unknown) => {
    throw storeUnavailable(cause);
  });
  ctx.set('cache-control', 'no-store');
  if (calendar === undefined) throw new ServiceError('notFound');
  const { name, shifts } = calendar;
  const shown = shifts.filter(({ person }) => email === undefined || person.email === email);
  const events = shown.map(({ id, person, from, to }) => {
    return { id, from, to, title: `${person.name}: ${name}` };
  });
  ctx.type = `${calendarMediaType}; charset=utf-8`;
  ctx.body = drawCalendar({ name, events }, now);
}

/** Other parameters are ignored: applications add their own. @throws ServiceError `invalidParameter` */
function personOf(sent: string | string[] | undefined): string | undefined {
  if (sent === undefined) return undefined;
  const email = typeof sent === 'string' ? parseEmailAddress(sent) : undefined;
  if (email !== undefined) return email.toLowerCase();
  throw new ServiceError('invalidParameter', { message: 'Parameter "person" must be one email address.' });
}
