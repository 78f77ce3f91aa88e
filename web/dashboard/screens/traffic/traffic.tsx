import type { TotalsAnswer } from '../../../../contract/analytics/figures.js';
import { EventsNote } from '../../kit/chart/events-note.js';
import { useEvents, useHappenings } from '../../kit/chart/use-events.js';
import { NotKept } from '../../kit/not-kept.js';
import { FailedAddition } from '../../kit/states.js';
import type { Read } from '../../reads/use-read.js';
import { type Crumb, Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { TrafficCharts } from './charts.js';
import { TrafficFigures } from './figures.js';
import { CompareSwitch, FilterChips } from './filters.js';
import { Groups } from './groups.js';
import { Messages } from './messages.js';
import { NoTraffic } from './no-traffic.js';
import { Parts } from './parts-of-endpoint.js';
import { type Place, usePlace } from './place.js';
import { useSeries, useSeriesBefore, useTotals } from './reads.js';
import { trafficTexts } from './texts.js';
import { Versions } from './versions/versions.js';
import { Worst } from './worst.js';

/** The requests of a page, a service or an endpoint; the address says which. */
export default function Traffic() {
  const place = usePlace();
  const { service, endpoint } = place.filters;
  // Another place begins with its own skeletons rather than with the figures of the one before.
  return <TrafficOf key={JSON.stringify([place.slug, service, endpoint])} place={place} />;
}

function TrafficOf({ place }: { place: Place }) {
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(trafficTexts);
  const totals = useTotals(place);
  const series = useSeries(place);
  const before = useSeriesBefore(place);
  const happenings = useHappenings(place.slug, place.range, place.filters.service);
  const events = useEvents(happenings, series.data);
  const isEmpty = totals.data?.now.requests === 0 && !totals.isOlder;
  return (
    <Screen
      title={place.filters.endpoint ?? place.filters.service ?? screens.traffic}
      crumbs={crumbsOf(place, screens.traffic)}
      hasRange
      stepSeconds={series.data?.step}
      actions={<CompareSwitch />}
    >
      <FilterChips place={place} />
      {isEmpty ? (
        <NoTraffic place={place} />
      ) : (
        <>
          <TrafficFigures read={totals} />
          <NotKeptNote place={place} read={totals} />
          <FailedAddition read={before}>{texts.notRead}</FailedAddition>
          <EventsNote {...happenings} />
          <TrafficCharts filters={place.filters} read={series} before={before} events={events} />
          <Tables place={place} errorsInAll={totals.data?.now.errors ?? undefined} />
        </>
      )}
    </Screen>
  );
}

/** Why there are no figures of the range, or none of the period before where the charts compare with it. */
function NotKeptNote({ place, read: { data } }: { place: Place; read: Read<TotalsAnswer> }) {
  const texts = useTexts(trafficTexts);
  if (data === undefined || data.keptFrom === null) return null;
  if (data.now.requests === null) return <NotKept keptFrom={data.keptFrom} />;
  return place.before === undefined ? null : <p class="note">{texts.notKept}</p>;
}

function Tables({ place, errorsInAll }: { place: Place; errorsInAll: number | undefined }) {
  if (place.view === 'page') {
    return (
      <>
        <Worst place={place} errorsInAll={errorsInAll} />
        <Groups place={place} by="service" />
      </>
    );
  }
  if (place.view === 'service') {
    return (
      <>
        <Versions place={place} />
        <Messages place={place} />
        <Groups place={place} by="endpoint" />
      </>
    );
  }
  return (
    <>
      <Messages place={place} />
      <div class="split">
        <Parts place={place} by="method" />
        <Parts place={place} by="status" />
      </div>
    </>
  );
}

/** The way up, which leaves the filters that the lower place has. */
function crumbsOf({ view, filters: { service }, hrefOf }: Place, traffic: string): Crumb[] {
  if (view === 'page') return [];
  const top = { title: traffic, href: hrefOf({}) };
  return view === 'service' || service === undefined
    ? [top]
    : [top, { title: service, href: hrefOf({ service }) }];
}
