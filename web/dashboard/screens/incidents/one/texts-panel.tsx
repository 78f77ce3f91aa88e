import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { useAddress } from '../../../address/use-address.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { Panel } from '../../../kit/panel.js';
import { ReadView } from '../../../kit/states.js';
import { useRead } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import { useMoments } from '../use-moments.js';
import type { Opened } from './opened.js';
import { type Piece, PieceRow } from './piece-row.js';
import { type OneTexts, oneTexts } from './texts.js';

/** All texts of an incident in one language beside their originals, each with a place to correct it. */
export function TextsPanel({ language, ...opened }: Opened & { language: string }) {
  const texts = useTexts(oneTexts);
  const momentOf = useMoments(opened.page?.timeZone).incident;
  const name = useLanguageName()(language);
  const { path, query, to } = useAddress();
  // Very long incidents have their texts in one further language at a time.
  const isLeftOut = opened.incident.texts[language] === undefined;
  const alone = useRead<ManagedIncident>(
    isLeftOut ? `${opened.path}?${new URLSearchParams({ language })}` : undefined,
  );
  const read = isLeftOut ? alone : opened.read;
  return (
    <Panel
      title={texts.textsIn({ language: name })}
      note={texts.textsWhy}
      actions={<a href={to(path, { incident: query['incident'] })}>{texts.closeTexts}</a>}
    >
      <ReadView read={read}>
        {(incident) => (
          <ul class="pieces">
            {piecesOf(incident, texts, momentOf).map((piece) => (
              <PieceRow key={piece.key} {...opened} {...{ incident, read, language, piece }} />
            ))}
          </ul>
        )}
      </ReadView>
    </Panel>
  );
}

function piecesOf(incident: ManagedIncident, texts: OneTexts, moment: (at: string) => string): Piece[] {
  return [
    { key: 'title', title: texts.title, original: incident.title },
    { key: 'summary', title: texts.summary, original: incident.summary },
    ...incident.updates.map(({ id, body, createdAt }) => ({
      ...{ key: id, title: texts.updateOf({ moment: moment(createdAt) }), original: body },
    })),
  ];
}
