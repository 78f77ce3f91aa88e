import type { ComponentChildren } from 'preact';

type TooltipTextProps = { time: string; further: readonly string[]; children: ComponentChildren };

/** The tooltip of a step: its time, its values in `children`, and a line for each further sentence. */
export function TooltipText({ time, further, children }: TooltipTextProps) {
  return (
    <>
      <p class="plot-tooltip-time">{time}</p>
      <dl>{children}</dl>
      {further.map((line) => (
        <p key={line} dir="auto">
          {line}
        </p>
      ))}
    </>
  );
}
