import { useAddress } from '../../../address/use-address.js';
import { Icon } from '../../../kit/icons.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { usePage } from '../../../session.js';
import { ReadOnlyNote } from '../../../shell/permitted.js';
import { Screen } from '../../../shell/screen.js';
import { pathOfScreen } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { incidentsTexts } from '../texts.js';
import { Actions } from './actions.js';
import { IncidentAlerts } from './alerts.js';
import { Head } from './head.js';
import { Languages } from './languages.js';
import { type Opened, useOpened } from './opened.js';
import { PostUpdate } from './post-update.js';
import { Postmortem } from './postmortem.js';
import { oneTexts } from './texts.js';
import { TextsPanel } from './texts-panel.js';
import { Timeline } from './timeline.js';
import { Told } from './told.js';

/** An incident or maintenance: what people read, who was told, and what to say next. */
export function OneIncident({ id }: { id: string }) {
  const texts = useTexts(oneTexts);
  const { incidents } = useTexts(incidentsTexts);
  const { slug } = usePage();
  const opened = useOpened(id);
  const { read, page } = opened;
  const incident = read.data;
  return (
    <Screen
      title={incident?.title ?? texts.incident}
      crumbs={[{ title: incidents, href: pathOfScreen(slug, 'incidents') }]}
      actions={
        <>
          {page !== undefined && incident !== undefined && (
            <a
              class="button small"
              href={new URL(`/incidents/${id}`, page.url).href}
              target="_blank"
              rel="noreferrer"
            >
              <Icon name="external" />
              {texts.publicPage}
            </a>
          )}
          {incident !== undefined && <Actions {...opened} incident={incident} />}
        </>
      }
    >
      <ReadView read={read} skeleton={<Loading />}>
        {(data) => <Parts {...opened} incident={data} />}
      </ReadView>
    </Screen>
  );
}

function Loading() {
  return (
    <div class="incident-columns">
      <div class="incident-column">
        <Skeleton height={160} />
        <Skeleton height={240} />
      </div>
      <div class="incident-column">
        <Skeleton height={120} />
      </div>
    </div>
  );
}

function Parts(opened: Opened) {
  const { incident, page } = opened;
  const { may } = usePage();
  const { query } = useAddress();
  const language = page?.languages.find((one) => one === query['language'] && one !== page.defaultLanguage);
  return (
    <div class="incident-parts">
      <ReadOnlyNote permission="incidents.write" />
      <div class="incident-columns">
        <div class="incident-column">
          <Head {...opened} />
          {may('incidents.write') && <PostUpdate {...opened} />}
          {language !== undefined && <TextsPanel key={language} {...opened} language={language} />}
          <Postmortem {...opened} />
          <Timeline {...opened} />
        </div>
        <div class="incident-column">
          {page !== undefined && <Languages incident={incident} page={page} chosen={language} />}
          {incident.type === 'incident' && <IncidentAlerts incident={incident} />}
          <Told incident={incident} />
        </div>
      </div>
    </div>
  );
}
