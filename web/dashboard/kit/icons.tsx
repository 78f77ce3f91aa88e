/** Lines on a grid of 24; decoration beside a text, so screen readers pass over them. */
const shapes = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  traffic: 'M4 19V5M4 19h16M8 15l3.5-4 3 2.5L20 7',
  reporters: 'M12 13v7M8.5 16.5a5 5 0 1 1 7 0M5.6 19.4a9 9 0 1 1 12.8 0M12 13a.5.5 0 1 0 0-1 .5.5 0 0 0 0 1z',
  databases:
    'M5 6c0-1.7 3.1-3 7-3s7 1.3 7 3-3.1 3-7 3-7-1.3-7-3zM5 6v12c0 1.7 3.1 3 7 3s7-1.3 7-3V6M5 12c0 1.7 3.1 3 7 3s7-1.3 7-3',
  deployments: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  boards: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  sql: 'M5 5h14v14H5zM8.5 9.5 11 12l-2.5 2.5M13 15h3',
  monitors: 'M3 12h4l2-6 4 12 2.5-6H21',
  incidents: 'M6 21V4l12 4.5L6 13',
  page: 'M5 4h14v16H5zM5 9h14M8 6.5h.01M11 6.5h.01',
  subscribers: 'M4 6h16v12H4zM4 7l8 6 8-6',
  webhooks: 'M8 7a4 4 0 1 1 6 3.5l2.5 4.5M10.5 10.5 8 15a4 4 0 1 1-4-.5M12 17h8a3.5 3.5 0 1 1-3 4',
  channels: 'M4 5h16v11h-9l-5 4v-4H4zM8 9h8M8 12h5',
  alerts: 'M12 4a5 5 0 0 1 5 5c0 5 2 6 2 7H5c0-1 2-2 2-7a5 5 0 0 1 5-5zM10 19a2 2 0 0 0 4 0',
  rules: 'M4 9h3M10 9h3M16 9h4M4 19l4-7 3 4 5-11 4 6',
  objectives: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h.01',
  mute: 'M12 4a5 5 0 0 1 5 5c0 5 2 6 2 7H5c0-1 2-2 2-7a5 5 0 0 1 5-5zM10 19a2 2 0 0 0 4 0M4 4l16 16',
  onCall: 'M6 4h3l1.5 4-2 1.5a11 11 0 0 0 6 6l1.5-2 4 1.5v3a2 2 0 0 1-2 2A15 15 0 0 1 4 6a2 2 0 0 1 2-2z',
  reports: 'M6 3.5h8l4 4v13H6zM14 3.5v4h4M9 12h6M9 16h6',
  policies: 'M6 4h5v4H6zM13 10h5v4h-5zM6 16h5v4H6zM11 6h4.5v4M15.5 14v4H11',
  keys: 'M8 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 11h9M17 11v4M20.5 11v3',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 19c.5-3 3-4.5 6-4.5s5.5 1.5 6 4.5M16 5a3 3 0 0 1 0 6M18 14.5c1.7.7 2.7 2.3 3 4.5',
  store: 'M4 8h16v12H4zM4 8l2-4h12l2 4M9 13h6',
  audit: 'M6 4h12v16H6zM9 9h6M9 13h6M9 17h3',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  bold: 'M8 5h5a3.5 3.5 0 0 1 0 7H8zM8 12h6a3.5 3.5 0 0 1 0 7H8z',
  italic: 'M10 5h6M8 19h6M14 5l-4 14',
  list: 'M9 7h11M9 12h11M9 17h11M5 7h.01M5 12h.01M5 17h.01',
  code: 'M9 8l-4 4 4 4M15 8l4 4-4 4',
  edit: 'M5 19l1-4L16 5l3 3L9 18z',
  trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  installation: 'M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.01M7.5 16h.01',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c.6-3.4 3.4-5 7-5s6.4 1.6 7 5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  chevron: 'M8 10l4 4 4-4',
  right: 'M9 6l6 6-6 6',
  left: 'M15 6l-6 6 6 6',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5l4.5 4.5L19 7',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.6-5.6l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.6 5.6l1-1',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
  menu: 'M4 7h16M4 12h16M4 17h16',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4',
  out: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  keyboard: 'M3 7h18v10H3zM7 10.5h.01M10.5 10.5h.01M14 10.5h.01M17.5 10.5h.01M8 14h8',
  table: 'M4 5h16v14H4zM4 10h16M10 10v9',
  warning: 'M12 4 3 20h18zM12 10v4M12 17h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8h.01',
  play: 'M8 5v14l11-7z',
  pause: 'M9 6v12M15 6v12',
  stop: 'M7 7h10v10H7z',
  plus: 'M12 5v14M5 12h14',
  external: 'M14 5h5v5M19 5l-8 8M17 14v5H5V7h5',
  refresh: 'M19 12a7 7 0 1 1-2-5l2 2M19 4v5h-5',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  filter: 'M4 6h16l-6 7v6l-4-2v-4z',
  zoomIn: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4M11 8v6M8 11h6',
  zoomOut: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4M8 11h6',
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}

/** The first letter of a name as a small picture. A style draws it, so that it is no part of the name of a button. */
export function Initial({ name, isRound = false }: { name: string; isRound?: boolean }) {
  const letter = [...name.trim()].at(0)?.toUpperCase();
  return <span class={isRound ? 'initial round' : 'initial'} data-letter={letter} aria-hidden="true" />;
}
