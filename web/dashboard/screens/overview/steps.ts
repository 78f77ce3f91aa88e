import type { OverviewAnswer } from '../../../../contract/manage/overview.js';
import { type PageScreen, screenPath } from '../../../account/manage-paths.js';
import { type AddressChanges, searchOf } from '../../address/use-address.js';

export type StepName = 'page' | keyof OverviewAnswer['checklist'];

/** A step of setting a page up. */
export type Step = {
  name: StepName;
  isDone: boolean;
  /** The form that does it; none for what is always done, and for what is done right here. */
  href: string | undefined;
  /** The page of the documentation that says more. */
  guide: string;
};

/** The steps in their order; the page itself exists. */
export function stepsOf(checklist: OverviewAnswer['checklist'], slug: string): readonly Step[] {
  const form = (screen: PageScreen, query: AddressChanges) => `${screenPath(slug, screen)}${searchOf(query)}`;
  return [
    { name: 'page', isDone: true, href: undefined, guide: 'get-started' },
    {
      ...{ name: 'monitor', isDone: checklist.monitor, guide: 'monitors' },
      href: form('monitors', { new: 'http' }),
    },
    { name: 'ingestKey', isDone: checklist.ingestKey, href: undefined, guide: 'get-started' },
    { name: 'event', isDone: checklist.event, href: undefined, guide: 'api' },
    {
      ...{ name: 'told', isDone: checklist.told, guide: 'channels' },
      href: form('channels', { new: 'channel' }),
    },
    {
      ...{ name: 'subscriber', isDone: checklist.subscriber, guide: 'email' },
      href: form('subscribers', { new: 'subscriber' }),
    },
    {
      ...{ name: 'host', isDone: checklist.host, guide: 'status-page' },
      href: form('page', { part: 'address' }),
    },
  ];
}
