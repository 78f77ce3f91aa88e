/** An alert with the series that it gets, a scrape every minute. */
export type AlertCase = {
  alert: string;
  when: string;
  /** Series of an instance and their values, in the notation of promtool: `0+5x10` is 0, 5, 10, … in ten steps. */
  series: Record<string, string>;
  atMinutes: number;
  /** The labels of the alert apart from its severity, and its summary. Absent when it must not fire. */
  fires?: { labels: Record<string, string>; summary: string };
};

/** The instance that the cases are about. */
export const target = { job: 'heartline', instance: '10.0.0.1:8080' };

/** The cases of an alert: the first ones fire, and `quiet` ones do not. */
export function cases(
  alert: string,
  { firing, quiet }: { firing: Omit<AlertCase, 'alert'>[]; quiet: Omit<AlertCase, 'alert' | 'fires'>[] },
): AlertCase[] {
  return [...firing, ...quiet].map((one) => ({ alert, ...one }));
}
