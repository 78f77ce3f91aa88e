import { monitorKinds } from '../../../../contract/monitors.js';
import { useAddress } from '../../address/use-address.js';
import { PermittedScreen } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { EditMonitor } from './form/edit-monitor.js';
import { NewMonitor } from './form/new-monitor.js';
import { formTexts } from './form/texts.js';
import { MonitorList } from './monitor-list.js';
import { OneMonitor } from './one/one-monitor.js';

/** All monitors of the page, the one that the address names, or the form for one. */
export default function Monitors() {
  const { monitor, edit, new: added } = useAddress().query;
  if (added !== undefined) return <NewScreen />;
  if (monitor === undefined) return <MonitorList />;
  return edit === undefined ? (
    <OneMonitor key={monitor} slug={monitor} />
  ) : (
    <EditScreen key={monitor} slug={monitor} />
  );
}

function NewScreen() {
  const { path, query, to } = useAddress();
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(formTexts);
  const kind = monitorKinds.find((one) => one === query['new']) ?? 'http';
  return (
    <PermittedScreen permission="monitors.write">
      <Screen title={texts.titles[kind]} crumbs={[{ title: screens.monitors, href: to(path) }]}>
        <NewMonitor key={query['copy']} kind={kind} copy={query['copy']} />
      </Screen>
    </PermittedScreen>
  );
}

function EditScreen({ slug }: { slug: string }) {
  const { path, to } = useAddress();
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(formTexts);
  const crumbs = [
    { title: screens.monitors, href: to(path) },
    { title: slug, href: to(path, { monitor: slug }) },
  ];
  return (
    <PermittedScreen permission="monitors.write">
      <Screen title={texts.edit({ name: slug })} crumbs={crumbs}>
        <EditMonitor slug={slug} />
      </Screen>
    </PermittedScreen>
  );
}
