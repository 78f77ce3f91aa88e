import type { PersonOnCall } from '../../../../contract/manage/schedules.js';
import { Initial } from '../../kit/icons.js';

/** Colours that tell people apart in a calendar; their names stand beside them. */
const colours = 6;

/** Returns the class of the colour of each person, by email: the same for as long as the same people take part. */
export function colourPeople(emails: readonly string[]): (email: string) => string {
  const order = [...new Set(emails)].sort();
  return (email) => `person-${(Math.max(0, order.indexOf(email)) % colours) + 1}`;
}

type PersonProps = { person: PersonOnCall; colour: string; isLarge?: boolean };

/** A person as a coloured letter and a name. */
export function Person({ person, colour, isLarge = false }: PersonProps) {
  return (
    <span class={`on-call-person ${colour}${isLarge ? ' large' : ''}`} title={person.email}>
      <Initial name={person.name} isRound />
      <span dir="auto">{person.name}</span>
    </span>
  );
}
