import { useAddress } from '../../address/use-address.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { Tabs } from '../../kit/tabs.js';
import { usePage } from '../../session.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { Composer } from './composer/composer.js';
import { IncidentList } from './list/incident-list.js';
import { NewButtons } from './list/new-buttons.js';
import { MaintenanceCalendar } from './maintenance/maintenance-calendar.js';
import { OneIncident } from './one/one-incident.js';
import { NewTemplate, SavedTemplate } from './templates/template-editor.js';
import { TemplateList } from './templates/template-list.js';
import { incidentsTexts } from './texts.js';
import { usePageFacts } from './use-page-facts.js';

const views = ['list', 'calendar', 'templates'] as const;

/** Incidents, maintenance, templates and their forms; the address says which. */
export default function Incidents() {
  const { query } = useAddress();
  const { incident, new: kind } = query;
  if (incident !== undefined) return <OneIncident key={incident} id={incident} />;
  if (kind === 'incident' || kind === 'maintenance') return <Composer key={kind} type={kind} />;
  return <Views current={views.find((view) => view === query['view']) ?? 'list'} />;
}

function Views({ current }: { current: (typeof views)[number] }) {
  const texts = useTexts(incidentsTexts);
  return (
    <Screen title={texts.incidents} actions={<NewButtons />}>
      <Tabs
        label={texts.views}
        parameter="view"
        current={current}
        tabs={views.map((key) => ({ key, title: texts[key] }))}
      />
      {current === 'list' && <IncidentList />}
      {current === 'calendar' && <Calendar />}
      {current === 'templates' && <TemplatesView />}
    </Screen>
  );
}

function Calendar() {
  const { slug } = usePage();
  const facts = usePageFacts();
  return (
    <ReadView read={facts} skeleton={<Skeleton height={420} />}>
      {({ timeZone }) => <MaintenanceCalendar slug={slug} zone={timeZone} />}
    </ReadView>
  );
}

/**
 * The templates of the page: a list, and the editor of one. The address says what is drawn: `?view=templates`, with
 * `&template=SLUG` the editor of that one, with `&new=template` one that does not exist yet.
 */
function TemplatesView() {
  const { template, new: kind } = useAddress().query;
  if (kind === 'template') return <NewTemplate />;
  return template === undefined ? <TemplateList /> : <SavedTemplate key={template} slug={template} />;
}
