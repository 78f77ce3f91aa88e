import { labelPeople, type Somebody } from '../../../lib/person-labels.js';
import { textFor, useTexts } from '../texts.js';
import { type JobTexts, jobTexts } from './job-texts.js';

/** Who made a change. */
export type Known = Somebody & { type?: string | undefined };

/** Returns what each of a list is called: people as labelPeople() has them, jobs in words. */
export function useLabels(list: readonly (Known | null)[]): (one: Known) => string {
  const jobs = useTexts(jobTexts);
  const labelOf = labelPeople(list.filter((one) => one !== null));
  return (one) => (one.type === 'job' ? nameOfJob(one.name, jobs) : labelOf(one));
}

/** Returns what a tooltip adds to a label: the email of a person, the identifier of a job. */
export function tooltipOf({ name }: Known, label: string): string | undefined {
  return label.includes(name) ? undefined : name;
}

/** Returns the name of a job in words; its identifier where there are none. */
export function nameOfJob(identifier: string, texts: JobTexts): string {
  return textFor(texts.jobs, identifier)?.name ?? textFor(texts.others, identifier) ?? identifier;
}
