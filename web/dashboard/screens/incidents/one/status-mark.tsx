import type { UpdateStatus } from '../../../../../contract/incidents.js';

/** Every status has a shape of its own beside its colour. */
const shapes: Readonly<Record<UpdateStatus, string>> = {
  investigating: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 13.5 13.5',
  identified: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2h.01',
  monitoring: 'M1.5 8h3l1.5-4 3.5 8 1.5-4h3.5',
  resolved: 'M3 8.5l3.2 3.2L13 4.5',
};

/** A status as a picture beside its word. */
export function StatusMark({ status }: { status: UpdateStatus }) {
  return (
    <svg class={`status-mark ${status}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[status]} />
    </svg>
  );
}
