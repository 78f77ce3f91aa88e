import type { PublicFigure } from '../../../contract/public/public-figures.js';
import type { FigureSeries } from '../../state/figure-scale.js';
import { Time } from '../elements.js';
import type { ViewContext } from '../view-context.js';
import { nameKind, writeValue } from './figure-chart.js';

type Props = { context: ViewContext; figure: PublicFigure; series: readonly FigureSeries[] };

/** All values of a figure, newest first. */
export function FigureTable({ context, figure, series }: Props) {
  const { texts } = context;
  const from = Date.parse(figure.from);
  const steps = (series[0]?.values ?? []).map((_, at) => at).reverse();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{texts.figures.from}</th>
          {series.map(({ kind }) => (
            <th key={kind} scope="col">
              {nameKind(context, kind, figure)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {steps.map((at) => (
          <tr key={at}>
            <th scope="row">
              <Time context={context} at={from + at * figure.stepSeconds * 1000} form="moment" />
            </th>
            {series.map(({ kind, values }) => (
              <td key={kind}>{writeOrNone(context, kind, values[at])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function writeOrNone(
  context: ViewContext,
  kind: FigureSeries['kind'],
  value: number | null | undefined,
): string {
  return value === null || value === undefined ? '–' : writeValue(context, kind, value);
}
