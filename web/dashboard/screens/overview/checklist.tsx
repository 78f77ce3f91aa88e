import { useEffect, useRef, useState } from 'preact/hooks';
import type { OverviewAnswer } from '../../../../contract/manage/overview.js';
import { docsPath } from '../../../page-paths.js';
import { Icon } from '../../kit/icons.js';
import { keep, readKept } from '../../kit/kept.js';
import { usePage, useSession } from '../../session.js';
import { newPagePath } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { checklistTexts } from './checklist-texts.js';
import { FirstEvent, type KeyProps, MakeKey, NewKey } from './first-event.js';
import { type Step, type StepName, stepsOf } from './steps.js';

/**
 * The way from an empty page to one that works, for those who may do it. It folds once events arrive, and leaves when
 * all is done and somebody has said so.
 */
export function Checklist({ checklist, unread }: Pick<OverviewAnswer, 'checklist' | 'unread'>) {
  const texts = useTexts(checklistTexts);
  const { slug, may } = usePage();
  const { me } = useSession();
  const steps = stepsOf(checklist, slug);
  const left = steps.filter(({ isDone }) => !isDone);
  const [isDismissed, dismiss] = useKept(`heartline-setup-dismissed:${slug}`, false);
  // Nobody who looks on as the first event arrives wants the steps to go.
  const [usuallyFolded] = useState(checklist.event);
  const [isFolded, fold] = useKept(`heartline-setup-folded:${slug}`, usuallyFolded);
  const news = useNews(steps);
  // Nobody shows it again: it stays until the person says that it is saved, whatever happens to the steps.
  const [ingestKey, setIngestKey] = useState<string>();
  const [isSaved, setSaved] = useState(false);
  if (!may('monitors.write') || (left.length === 0 && isDismissed && (ingestKey === undefined || isSaved)))
    return null;
  const isOpen = left.length > 0 && !isFolded;
  return (
    <section class="panel checklist" aria-labelledby="checklist">
      <header class="checklist-head">
        <Ring done={steps.length - left.length} all={steps.length} />
        <div>
          <h2 id="checklist">{left.length === 0 ? texts.complete : texts.title}</h2>
          <p class="note">
            {texts.progress({ done: steps.length - left.length, all: steps.length })}
            {!isOpen &&
              left[0] !== undefined &&
              ` · ${texts.next({ step: texts.steps[left[0].name].title })}`}
          </p>
        </div>
        {left.length === 0 ? (
          <button type="button" class="button small" onClick={() => dismiss(true)}>
            {texts.dismiss}
          </button>
        ) : (
          <button type="button" class="button small" aria-expanded={isOpen} onClick={() => fold(isOpen)}>
            {isOpen ? texts.hide : texts.show}
          </button>
        )}
      </header>
      {ingestKey !== undefined && !isSaved && <NewKey ingestKey={ingestKey} onSaved={() => setSaved(true)} />}
      {isOpen && (
        <Steps {...{ steps, ingestKey }} current={left[0]?.name} fresh={news} onKey={setIngestKey} />
      )}
      {isOpen && me.admin && (
        <p class="note checklist-where">
          <a href={newPagePath}>{texts.ownPage}</a>
        </p>
      )}
      {unread !== null && (
        <p class="note checklist-where">
          {texts.unread} <span lang="en">{unread.message}</span>
        </p>
      )}
      <p class="visually-hidden" role="status">
        {news !== undefined &&
          (news === 'event' ? texts.arrived : texts.doneNow({ step: texts.steps[news].title }))}
      </p>
    </section>
  );
}

type StepsProps = KeyProps & {
  steps: readonly Step[];
  current: StepName | undefined;
  /** The step that has just been done. */
  fresh: StepName | undefined;
};

function Steps({ steps, current, fresh, ...key }: StepsProps) {
  const [chosen, setChosen] = useState<StepName>();
  const open = steps.find(({ name, isDone }) => name === chosen && !isDone)?.name ?? current;
  return (
    <ol class="steps">
      {steps.map((step, i) => (
        <StepLine
          key={step.name}
          step={step}
          number={i + 1}
          isOpen={step.name === open}
          isFresh={step.name === fresh}
          onOpen={() => setChosen(step.name)}
          {...key}
        />
      ))}
    </ol>
  );
}

type StepLineProps = KeyProps & {
  step: Step;
  number: number;
  isOpen: boolean;
  isFresh: boolean;
  onOpen(): void;
};

function StepLine({
  step: { name, isDone, href, guide },
  number,
  isOpen,
  isFresh,
  onOpen,
  ...key
}: StepLineProps) {
  const texts = useTexts(checklistTexts);
  const { title, why } = texts.steps[name];
  const state = isDone ? 'finished' : isOpen ? 'open' : 'later';
  return (
    <li class={isFresh ? `step ${state} fresh` : `step ${state}`} data-step={name}>
      <span class="step-mark" aria-hidden="true">
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div class="step-body">
        {isDone ? (
          <h3>
            {title} <span class="visually-hidden">({texts.done})</span>
          </h3>
        ) : (
          <h3>
            <button type="button" class="step-button" aria-expanded={isOpen} onClick={onOpen}>
              {title}
            </button>
          </h3>
        )}
        {isFresh && name === 'event' && <p class="note">{texts.arrived}</p>}
        {isOpen && !isDone && (
          <>
            <p class="note">{why}</p>
            {href !== undefined && (
              <p>
                <a class="button" href={href}>
                  {texts.actions[name]}
                </a>
              </p>
            )}
            {name === 'ingestKey' && <MakeKey {...key} />}
            {name === 'event' && <FirstEvent {...key} />}
            <p class="note">
              {texts.guide}{' '}
              <a href={`${docsPath}/${guide}`} target="_blank" rel="noreferrer">
                {guide}
              </a>
            </p>
          </>
        )}
      </div>
    </li>
  );
}

const [radius, stroke] = [13, 4];

/** How much is done, as a ring; the words beside it say the same. */
function Ring({ done, all }: { done: number; all: number }) {
  const length = 2 * Math.PI * radius;
  const size = 2 * radius + stroke;
  return (
    <svg class="ring" viewBox={`0 0 ${size} ${size}`} width={size} height={size} aria-hidden="true">
      <circle cx={size / 2} cy={size / 2} r={radius} />
      <circle
        class="ring-done"
        cx={size / 2}
        cy={size / 2}
        r={radius}
        stroke-dasharray={`${(done / all) * length} ${length}`}
      />
    </svg>
  );
}

/** The step that was done last while somebody looks on. */
function useNews(steps: readonly Step[]): StepName | undefined {
  const before = useRef<ReadonlySet<StepName>>(undefined);
  const [news, setNews] = useState<StepName>();
  const done = steps.filter(({ isDone }) => isDone).map(({ name }) => name);
  useEffect(() => {
    const known = before.current;
    before.current = new Set(done);
    const fresh = known && done.findLast((name) => !known.has(name));
    if (fresh !== undefined) setNews(fresh);
  }, [done.join()]);
  return news;
}

/** A choice that this browser keeps, `usual` until there is one; without storage it holds until the tab closes. */
function useKept(key: string, usual: boolean): [value: boolean, choose: (value: boolean) => void] {
  const [choices, setChoices] = useState<Readonly<Record<string, boolean>>>({});
  return [
    choices[key] ?? readChoice(key) ?? usual,
    (value) => {
      setChoices({ ...choices, [key]: value });
      keep(key, value ? 'yes' : 'no');
    },
  ];
}

function readChoice(key: string): boolean | undefined {
  const text = readKept(key);
  return text === undefined ? undefined : text === 'yes';
}
