import type { OverviewAnswer } from '../../../../contract/manage/overview.js';
import { eventCommand } from '../../shell/event-command.js';
import { monitorCommand } from './monitors-panel.js';

export type StepName = 'page' | keyof OverviewAnswer['checklist'];

/** A step of setting a page up. */
export type Step = {
  name: StepName;
  isDone: boolean;
  /** The line that does it; none for what is always done. */
  command: string | undefined;
  /** The file of the documentation that says more. */
  guide: string;
};

type Place = { slug: string; baseUrl: string };

/** The steps in their order; the page itself exists. */
export function stepsOf(checklist: OverviewAnswer['checklist'], { slug, baseUrl }: Place): readonly Step[] {
  return [
    { name: 'page', isDone: true, command: undefined, guide: 'docs/get-started.md' },
    {
      name: 'monitor',
      isDone: checklist.monitor,
      command: monitorCommand(slug),
      guide: 'docs/monitors.md',
    },
    {
      name: 'ingestKey',
      isDone: checklist.ingestKey,
      command: `npx heartline key create --page ${slug} --scope ingest --name "First service"`,
      guide: 'docs/get-started.md',
    },
    { name: 'event', isDone: checklist.event, command: eventCommand(baseUrl), guide: 'docs/api.md' },
    {
      name: 'subscriber',
      isDone: checklist.subscriber,
      command: `npx heartline subscriber add --page ${slug} --email you@example.com`,
      guide: 'docs/email.md',
    },
    {
      name: 'host',
      isDone: checklist.host,
      command: `npx heartline page set ${slug} --hostname status.example.com`,
      guide: 'docs/status-page.md',
    },
  ];
}
