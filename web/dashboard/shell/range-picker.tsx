import { useState } from 'preact/hooks';
import { absoluteRange, endsOf, presetsSeconds, type Range, rangeUpToNow } from '../address/range.js';
import { useAddress } from '../address/use-address.js';
import { useFormat } from '../format.js';
import { Icon } from '../kit/icons.js';
import { Menu } from '../kit/menu.js';
import { useTexts } from '../texts.js';
import { shellTexts } from './texts.js';
import { useCopyLink } from './use-copy-link.js';

/** Chooses what all figures of a screen are of. */
export function RangePicker() {
  const texts = useTexts(shellTexts).range;
  const { range, choose } = useAddress();
  const name = useRangeName(range);
  return (
    <Menu
      label={`${texts.label}: ${name}`}
      class="button small range-button"
      align="end"
      button={
        <>
          <Icon name="clock" />
          {name}
          <Icon name="chevron" />
        </>
      }
    >
      {(close) => (
        <div class="range-box">
          <Presets
            range={range}
            onChoose={(chosen) => {
              choose(chosen);
              close();
            }}
          />
          <OwnRange
            range={range}
            onChoose={(chosen) => {
              choose(chosen);
              close();
            }}
          />
          <CopyLinks onCopied={close} />
        </div>
      )}
    </Menu>
  );
}

/** `Last 6 hours`, or the two ends. */
function useRangeName(range: Range): string {
  const texts = useTexts(shellTexts).range;
  const format = useFormat();
  const preset = presetsSeconds.find((seconds) => rangeUpToNow(seconds).from === range.from);
  if (preset !== undefined && range.to === 'now') return texts.lastOf({ span: format.span(preset) });
  const ends = endsOf(range, Date.now());
  return ends === undefined ? '' : `${format.moment(ends.from)} – ${format.moment(ends.to)}`;
}

type ChoiceProps = { range: Range; onChoose(range: Range): void };

function Presets({ range, onChoose }: ChoiceProps) {
  const texts = useTexts(shellTexts).range;
  const { span } = useFormat();
  return (
    <ul class="menu-list">
      {presetsSeconds.map((seconds) => {
        const preset = rangeUpToNow(seconds);
        const isCurrent = preset.from === range.from && preset.to === range.to;
        return (
          <li key={seconds}>
            <button
              type="button"
              {...(isCurrent && { 'aria-current': 'true' as const })}
              onClick={() => onChoose(preset)}
            >
              {texts.lastOf({ span: span(seconds) })}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function OwnRange({ range, onChoose }: ChoiceProps) {
  const texts = useTexts(shellTexts).range;
  const [ends] = useState(() => endsOf(range, Date.now()));
  const [from, setFrom] = useState(toField(ends?.from));
  const [to, setTo] = useState(toField(ends?.to));
  const [isWrong, setWrong] = useState(false);
  const apply = (event: Event): void => {
    event.preventDefault();
    const [start, end] = [timeOfField(from, ends?.from), timeOfField(to, ends?.to)];
    if (start < end) onChoose(absoluteRange(start, end));
    else setWrong(true);
  };
  return (
    <form class="own-range" onSubmit={apply}>
      <h2>{texts.own}</h2>
      <label>
        {texts.from}
        <input
          type="datetime-local"
          required
          value={from}
          onInput={({ currentTarget }) => setFrom(currentTarget.value)}
        />
      </label>
      <label>
        {texts.to}
        <input
          type="datetime-local"
          required
          value={to}
          onInput={({ currentTarget }) => setTo(currentTarget.value)}
        />
      </label>
      {isWrong && (
        <p class="field-error" role="alert">
          {texts.wrong}
        </p>
      )}
      <button type="submit" class="button small">
        {texts.apply}
      </button>
    </form>
  );
}

function CopyLinks({ onCopied }: { onCopied(): void }) {
  const texts = useTexts(shellTexts);
  const copyLink = useCopyLink();
  const copy = (kind: 'relative' | 'absolute'): void => {
    onCopied();
    void copyLink(kind);
  };
  return (
    <ul class="menu-list range-links">
      <li>
        <button type="button" onClick={() => copy('relative')}>
          <Icon name="link" />
          {texts.copyLink}, {texts.copyLinkRelative}
        </button>
      </li>
      <li>
        <button type="button" onClick={() => copy('absolute')}>
          <Icon name="link" />
          {texts.copyLink}, {texts.copyLinkAbsolute}
        </button>
      </li>
    </ul>
  );
}

/** The time in such a field; exactly the one at first while its text is the same, which has neither seconds nor a zone. */
function timeOfField(text: string, first: number | undefined): number {
  return first !== undefined && text === toField(first) ? first : Date.parse(text);
}

/** The value of such a field: the time in the zone of the browser, without a zone. */
function toField(at: number | undefined): string {
  if (at === undefined) return '';
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offsetMs).toISOString().slice(0, 16);
}
