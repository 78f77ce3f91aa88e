import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import { Icon } from '../icons.js';
import { kitTexts } from '../texts.js';
import { type DrawnNotes, keptSentence } from './kept.js';
import { chartTexts } from './texts.js';
import { useZoom } from './use-axis.js';

type ZoomTo = (from: number, to: number) => void;

type FrameProps = {
  title: string;
  notes: DrawnNotes;
  onZoom: Parameters<typeof useZoom>[0];
  /** Seconds of a step and the number of steps, which tests read. */
  stepSeconds?: number;
  points?: number;
  legend: ComponentChildren;
  /** The figures, in place of the picture. */
  table: ComponentChildren;
  /** The picture, in which people may be picking a range. */
  picture(picking: { isPicking: boolean; onZoom: ZoomTo }): ComponentChildren;
};

/** A chart with its legend above it: as a picture, or as a table. */
export function ChartFrame({
  title,
  notes,
  stepSeconds,
  points,
  legend,
  table,
  picture,
  ...props
}: FrameProps) {
  const [isTable, setTable] = useState(false);
  const [isPicking, setPicking] = useState(false);
  const zoom = useZoom(props.onZoom);
  const onZoom: ZoomTo = (from, to) => {
    setPicking(false);
    zoom(from, to);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a figure would be called by its caption, which the panel has.
    <div class="chart" role="group" aria-label={title} data-step={stepSeconds} data-points={points}>
      <div class="chart-bar">
        {legend}
        <ChartTools isTable={isTable} onTable={setTable} isPicking={isPicking} onPicking={setPicking} />
      </div>
      {isTable ? table : picture({ isPicking, onZoom })}
      <KeptNote notes={notes} />
    </div>
  );
}

/** Says below a chart why it has a gap. */
export function KeptNote({ notes }: { notes: DrawnNotes }) {
  const texts = useTexts(chartTexts);
  const sentence = keptSentence(notes, useFormat(), texts);
  return sentence === undefined ? null : <p class="note chart-note">{sentence}</p>;
}

type ToolsProps = {
  isTable: boolean;
  onTable(isTable: boolean): void;
  isPicking: boolean;
  onPicking(isPicking: boolean): void;
};

/** The actions of a chart besides pointing at it. */
function ChartTools({ isTable, onTable, isPicking, onPicking }: ToolsProps) {
  const texts = useTexts(chartTexts);
  const kit = useTexts(kitTexts);
  return (
    <div class="chart-tools">
      {!isTable && (
        <Tool name={texts.select} isOn={isPicking} onToggle={onPicking}>
          <Icon name="zoomIn" />
        </Tool>
      )}
      <Tool name={kit.showTable} isOn={isTable} onToggle={onTable}>
        <Icon name="table" />
      </Tool>
    </div>
  );
}

type ToolProps = { name: string; isOn: boolean; onToggle(isOn: boolean): void; children: ComponentChildren };

function Tool({ name, isOn, onToggle, children }: ToolProps) {
  return (
    <button
      type="button"
      class="icon-button"
      title={name}
      aria-label={name}
      aria-pressed={isOn}
      onClick={() => onToggle(!isOn)}
    >
      {children}
    </button>
  );
}
