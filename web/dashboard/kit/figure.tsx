import type { ComponentChildren } from 'preact';
import { useFormat } from '../format.js';
import { useTexts } from '../texts.js';
import { Icon } from './icons.js';
import { kitTexts } from './texts.js';

export type FigureProps = {
  title: string;
  /** Already written, such as `12.3/s`; a dash stands for nothing. */
  value: string | undefined;
  /** A class of the value, such as its colour, and what that means. */
  valueClass?: string | undefined;
  help?: string | undefined;
  /** The figure now and in the period before, for the change. */
  change?:
    | {
        now: number | null;
        before: number | null;
        isGoodWhen: 'lower' | 'higher' | 'either';
        /** Whether the period before is kept; if not, the change says so. */
        isKept?: boolean | undefined;
      }
    | undefined;
  /** Such as a sparkline. */
  children?: ComponentChildren;
};

/** A large figure with its name and the change against the period before. */
export function Figure({ title, value, valueClass = '', help, change, children }: FigureProps) {
  const { none } = useTexts(kitTexts);
  return (
    <div class="figure">
      <dt>{title}</dt>
      <dd>
        <span class={`figure-value ${valueClass}`.trim()} title={help}>
          {value ?? none}
        </span>
        {change !== undefined && <Change {...change} />}
        {children}
      </dd>
    </div>
  );
}

/** `▲ 12 %`: the colour says whether that is good, the arrow and the sign whether it is more. */
export function Change({ now, before, isGoodWhen, isKept = true }: NonNullable<FigureProps['change']>) {
  const format = useFormat();
  const texts = useTexts(kitTexts);
  if (now !== null && !isKept) {
    return (
      <span class="change" title={texts.noFiguresWhy}>
        {texts.noFigures}
        <span class="visually-hidden"> {texts.against}</span>
      </span>
    );
  }
  if (now === null || before === null) return null;
  if (before === 0) return now === 0 ? null : <span class="change">{texts.newFigure}</span>;
  const part = now / before - 1;
  if (Math.abs(part) < 0.005) return <span class="change">{texts.noChange}</span>;
  const isGood = isGoodWhen === 'either' ? undefined : part < 0 === (isGoodWhen === 'lower');
  const tone = isGood === undefined ? '' : isGood ? ' good' : ' bad';
  return (
    <span class={`change${tone}`} title={`${format.change(part)} ${texts.against}`}>
      <Icon name={part > 0 ? 'up' : 'down'} />
      {format.change(part)}
      <span class="visually-hidden"> {texts.against}</span>
    </span>
  );
}
