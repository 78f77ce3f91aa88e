import type { ReporterHealth } from '../../../../contract/analytics/reporters.js';

export function keyOf({ kind, id }: Pick<ReporterHealth, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** The key of the service that a reporter names, below which it stands. */
export function headOf({ service }: ReporterHealth): string | undefined {
  return service === undefined ? undefined : keyOf({ kind: 'service', id: service });
}

/** The reporters of a service, in the order of the answer. */
export function instancesIn(
  reporters: readonly ReporterHealth[],
  { id, instances }: Pick<ReporterHealth, 'id' | 'instances'>,
): ReporterHealth[] {
  return instances === undefined ? [] : reporters.filter(({ service }) => service === id);
}

/** Whether its requests are in the row of the service that it names. */
export function countsForService({ service, requests }: ReporterHealth): boolean {
  return service !== undefined && requests === 0;
}

/** How many instances of a service are in the worst state that some, but not all of them, are in. */
export function troubledInstances(
  instances: readonly ReporterHealth[],
): { state: 'silent' | 'late'; count: number } | undefined {
  for (const state of ['silent', 'late'] as const) {
    const count = instances.filter(({ reporting }) => reporting === state).length;
    if (count > 0 && count < instances.length) return { state, count };
  }
  return undefined;
}
