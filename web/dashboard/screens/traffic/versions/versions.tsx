import type { VersionsAnswer } from '../../../../../contract/analytics/versions.js';
import { useFormat } from '../../../format.js';
import { AnnounceCommand } from '../../../kit/announce-command.js';
import { Panel } from '../../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { deploymentsPath } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import type { Place } from '../place.js';
import { Comparison } from './comparison.js';
import { versionsTexts } from './texts.js';
import { VersionTable } from './version-table.js';

/** Versions are counted by hour, so that an answer hardly changes within a minute. */
const everyMs = 60_000;

/** The versions of a service: what the newest one has changed, and all of them. */
export function Versions({ place: { slug, filters } }: { place: Pick<Place, 'slug' | 'filters'> }) {
  const texts = useTexts(versionsTexts);
  const { service = '' } = filters;
  const read = useRead<VersionsAnswer>(pagePath(slug, '/analytics/versions', { service }), { everyMs });
  return (
    <Panel
      title={texts.title}
      note={texts.note}
      flush
      actions={
        <a class="button small" href={deploymentsPath(slug, service)}>
          {texts.all}
        </a>
      }
    >
      <ReadView
        read={read}
        skeleton={<Skeleton lines={6} />}
        isEmpty={({ versions }) => versions.length === 0}
        empty={
          <Empty title={texts.none}>
            <p>{texts.noneWhy}</p>
            <AnnounceCommand service={service} />
          </Empty>
        }
      >
        {(answer) => <Content answer={answer} />}
      </ReadView>
    </Panel>
  );
}

function Content({ answer }: { answer: VersionsAnswer }) {
  const texts = useTexts(versionsTexts);
  const { count } = useFormat();
  const { comparison, versions, unversioned } = answer;
  return (
    <>
      <div class="versions-compared">
        {comparison === null ? (
          <p>{texts.alone({ version: versions[0]?.version ?? '' })}</p>
        ) : (
          <Comparison comparison={comparison} />
        )}
      </div>
      <VersionTable versions={versions} />
      {unversioned > 0 && (
        <p class="note versions-note">{texts.unversioned({ count: count(unversioned) })}</p>
      )}
    </>
  );
}
