/** The parts of a check that are measured, in their order. */
export const measuredKeys = ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs'] as const;
/** All parts in their order. */
export const phaseKeys = [...measuredKeys, 'restMs'] as const;
export type PhaseKey = (typeof phaseKeys)[number];

type Measured = {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  totalMs: number | null;
};

/**
 * The milliseconds of each part of a check, which add up to the whole; what a check did not have took no time. Without a
 * response time there are none.
 */
export function phasesOf(measured: Measured): Readonly<Record<PhaseKey, number>> | undefined {
  const { totalMs, dnsMs, connectMs, tlsMs, firstByteMs } = measured;
  if (totalMs === null) return undefined;
  const known = {
    dnsMs: dnsMs ?? 0,
    connectMs: connectMs ?? 0,
    tlsMs: tlsMs ?? 0,
    firstByteMs: firstByteMs ?? 0,
  };
  const sum = Object.values(known).reduce((all, ms) => all + ms, 0);
  return { ...known, restMs: Math.max(0, Math.round((totalMs - sum) * 100) / 100) };
}
