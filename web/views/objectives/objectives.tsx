import type { PublicMonth, PublicObjective } from '../../../contract/public/public-objectives.js';
import { Icon } from '../elements.js';
import type { ViewContext } from '../view-context.js';

type Props = { context: ViewContext; objectives: readonly PublicObjective[] };

/** The objectives that a page shows, each with its target and its last months. */
export function Objectives({ context, objectives }: Props) {
  const { texts, own } = context;
  if (objectives.length === 0) return null;
  return (
    <section class="objectives" aria-labelledby="objectives">
      <h2 id="objectives" {...own}>
        {texts.objectives.title}
      </h2>
      <ul class="service-list">
        {objectives.map((objective, at) => (
          <Objective key={at} context={context} objective={objective} />
        ))}
      </ul>
    </section>
  );
}

function Objective({ context, objective }: { context: ViewContext; objective: PublicObjective }) {
  const { texts, own, view, format } = context;
  const { language, brand } = view;
  const { name, target, unit, months } = objective;
  return (
    <li class="service">
      <div class="service-head">
        <h3 dir="auto" lang={language === brand.defaultLanguage ? undefined : brand.defaultLanguage}>
          {name}
        </h3>
        <span class="uptime" {...own}>
          {texts.objectives.target[unit]({ percent: format.exactPercent(target) })}
        </span>
      </div>
      {months === null ? (
        <p class="note" {...own}>
          {texts.figures.unavailable}
        </p>
      ) : (
        <ol class="outcomes" {...own}>
          {months.map((month, at) => (
            <Month key={month.month} context={context} month={month} isLast={at === months.length - 1} />
          ))}
        </ol>
      )}
    </li>
  );
}

type MonthProps = { context: ViewContext; month: PublicMonth; isLast: boolean };

/** The sign and the words of the outcome say the same as the colour. */
function Month({ context, month: { month, percent, isMet }, isLast }: MonthProps) {
  const { texts, format } = context;
  const { met, missed, none, soFar } = texts.objectives;
  const name = format.shortMonth(month);
  const outcome = isMet === null ? 'none' : isMet ? 'met' : 'missed';
  return (
    <li class={outcome}>
      <time datetime={month}>{isLast ? soFar({ month: name }) : name}</time>
      <b>
        {isMet !== null && <Icon kind={isMet ? 'up' : 'down'} />}
        {percent === null ? <span aria-hidden="true">–</span> : format.exactPercent(percent)}
        <span class="visually-hidden">{{ met, missed, none }[outcome]}</span>
      </b>
    </li>
  );
}
