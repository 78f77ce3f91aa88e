import { type ChannelMessage, type Format, postJson } from './message.js';

/** A message may have 28 KB, https://learn.microsoft.com/microsoftteams/limits-specifications-teams; a text has less. */
const textCharsMax = 8_000;

/**
 * A message for the workflow “Post to a channel when a webhook request is received” of Microsoft Teams: one Adaptive
 * Card, https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using. Version 1.4
 * is the newest that every client shows.
 */
export const teamsRequest: Format = (message, { url = '' }) => {
  const { title, text, facts, page, link } = message;
  return postJson(url, {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          fallbackText: `${title} (${page})`,
          body: [
            { ...block(title), size: 'Large', weight: 'Bolder', color: cardColorOf(message) },
            ...(text === '' ? [] : [block(text.slice(0, textCharsMax))]),
            ...(facts.length === 0
              ? []
              : [{ type: 'FactSet', facts: facts.map(({ name, value }) => ({ title: name, value })) }]),
            { ...block(page), isSubtle: true, size: 'Small' },
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open the dashboard', url: link }],
        },
      },
    ],
  });
};

function block(text: string): { type: 'TextBlock'; text: string; wrap: true } {
  return { type: 'TextBlock', text, wrap: true };
}

function cardColorOf({ phase, severity }: ChannelMessage): string {
  if (phase === 'end') return 'Good';
  return { critical: 'Attention', warning: 'Warning', info: 'Accent' }[severity];
}
