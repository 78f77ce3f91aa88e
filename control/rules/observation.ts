import type { Look } from './rule-state.js';

export type Fact = { name: string; value: string };

/** The content of a message that something is over. Without facts it says how long that lasted. */
export type Ending = { title: string; text: string; facts?: readonly Fact[] };

/** The finding of a look at a rule about one of its groups. */
export type Observation = {
  /** The service, endpoint, monitor or reporter; empty for a rule without groups. */
  group: string;
  /** The group as people read it, where its key does not say. */
  name?: string;
  look: Look;
  /** The figure that is compared: percent, milliseconds, requests, a count. Absent when nothing was measured. */
  value?: number;
  /** The figure from which on the condition holds. */
  threshold?: number;
  /** Requests that the figure is from. */
  requests?: number;
  errors?: number;
  /** Since when it is so, in milliseconds since the epoch; since the alert began when absent. */
  since?: number;
  /** More than the figure, for kinds that know more: a sentence, and facts. */
  text?: string;
  facts?: readonly Fact[];
  /** How an alert is over that ends with this look. */
  ending?: Ending;
};

/**
 * The finding of a look at a rule: its groups, or why its figures could not be read. A look at a minute that still runs finds
 * what is bad already; it says nothing of other groups.
 */
export type RuleLook = { observations: readonly Observation[]; isPartial?: boolean } | { error: string };

/** Returns what a look at a minute that still runs is worth: a share or a time that is too high already. */
export function toPartial(look: RuleLook): RuleLook {
  if ('error' in look) return look;
  return { observations: look.observations.filter((one) => one.look === 'bad'), isPartial: true };
}

/** Returns the key of a group that is an endpoint. */
export function endpointGroup(service: string, endpoint: string): string {
  return JSON.stringify([service, endpoint]);
}

/** Returns the names of a group: of a service or a monitor, or of a service and its endpoint. */
export function partsOfGroup(group: string): string[] {
  return group.startsWith('[') ? JSON.parse(group) : [group];
}

/** Returns a group as people read it. */
export function nameOfGroup(group: string): string {
  const [name = '', endpoint] = partsOfGroup(group);
  return endpoint === undefined ? name : `${endpoint} of ${name}`;
}
