import type { Texts } from '../../texts.js';

const en = {
  chats: 'Chats',
  why: 'Readers who get messages in Slack, Discord, Teams or a program, through a webhook that they have confirmed.',
  none: 'No chat yet',
  noneWhy: 'Readers subscribe their chat on the page for subscriptions, which the status page leads to.',
  chat: 'Chat',
  language: 'Language',
  state: 'State',
  states: { confirmed: 'Confirmed', unconfirmed: 'Not confirmed', gone: 'Webhook deleted' },
  added: 'Added',
  actions: 'Actions',
  remove: 'Remove',
  removeTitle: 'Remove this chat?',
  removeWhy: 'It gets no more messages, and its address is forgotten.',
  removed: 'The chat is removed.',
};

export type ChatTexts = typeof en;

const de: ChatTexts = {
  chats: 'Chats',
  why: 'Leser, die in Slack, Discord, Teams oder einem Programm informiert werden, über einen bestätigten Webhook.',
  none: 'Noch kein Chat',
  noneWhy: 'Leser melden ihren Chat auf der Seite für Abonnements an, zu der die Statusseite führt.',
  chat: 'Chat',
  language: 'Sprache',
  state: 'Zustand',
  states: { confirmed: 'Bestätigt', unconfirmed: 'Nicht bestätigt', gone: 'Webhook gelöscht' },
  added: 'Hinzugefügt',
  actions: 'Aktionen',
  remove: 'Entfernen',
  removeTitle: 'Diesen Chat entfernen?',
  removeWhy: 'Er wird über nichts mehr informiert, und seine Adresse wird vergessen.',
  removed: 'Der Chat ist entfernt.',
};

export const chatTexts = { en, de } satisfies Texts<unknown>;
