import type { RulePreview } from '../../../../../contract/manage/rule-preview.js';
import { useFormat } from '../../../format.js';
import { useTexts } from '../../../texts.js';
import { previewTexts } from './texts.js';

/** Units of the drawing, which takes the width of its place. */
const [width, height] = [1_400, 40];
/** Alerts of minutes are to be seen in two weeks. */
const markWidthMin = 4;
const dayMs = 86_400_000;

/** The alerts of a rule as marks on a line of 14 days. The table below it says the same in words. */
export function FiringStrip({ preview: { from, to, firings, count } }: { preview: RulePreview }) {
  const texts = useTexts(previewTexts);
  const format = useFormat();
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const placeOf = (at: number): number => ((at - begin) / (end - begin)) * width;
  const days = Array.from(
    { length: Math.round((end - begin) / dayMs) - 1 },
    (_, i) => begin + (i + 1) * dayMs,
  );
  const middle = days[Math.floor(days.length / 2)] ?? end;
  return (
    <div>
      <svg
        class="firing-strip"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.strip({ count, shown: format.count(count) })}
      >
        <rect class="ground" width={width} height={height} />
        {days.map((at) => (
          <line key={at} x1={placeOf(at)} x2={placeOf(at)} y1={height - 8} y2={height} />
        ))}
        {firings.map(({ group, startedAt, endedAt }) => {
          const x = placeOf(Date.parse(startedAt));
          const last = endedAt === null ? end : Date.parse(endedAt);
          const wide = Math.max(markWidthMin, placeOf(last) - x);
          const until = endedAt === null ? texts.lasts : format.moment(last);
          return (
            <rect
              key={`${startedAt} ${group}`}
              class="mark"
              x={Math.min(x, width - wide)}
              y={4}
              width={wide}
              height={height - 14}
            >
              <title>{`${format.moment(Date.parse(startedAt))} – ${until} ${group}`.trim()}</title>
            </rect>
          );
        })}
      </svg>
      <p class="strip-ends note" aria-hidden="true">
        <span>{format.day(begin)}</span>
        <span>{format.day(middle)}</span>
        <span>{format.day(end)}</span>
      </p>
    </div>
  );
}
