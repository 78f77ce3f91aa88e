import { type ChannelMessage, type Format, postJson } from './message.js';

/**
 * A message for the workflow “Post to a channel when a webhook request is received” of Microsoft Teams: one Adaptive
 * Card, https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using. Version 1.4
 * is the newest that every client shows.
 */
export const teamsRequest: Format = (message, { url = '' }) => {
  const { title, text, facts, page, links } = message;
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
            block(title, { weight: 'Bolder', size: 'Large', color: cardColorOf(message) }),
            ...(text === '' ? [] : [block(text)]),
            ...facts.map(({ name, value }) => ({
              type: 'RichTextBlock',
              inlines: [run(`${name}: `, { weight: 'Bolder' }), run(value)],
            })),
            block(page, { isSubtle: true, size: 'Small' }),
          ],
          actions: links.map((link) => ({ type: 'Action.OpenUrl', title: link.text, url: link.url })),
        },
      },
    ],
  });
};

function block(text: string, style: object = {}): object {
  return { type: 'RichTextBlock', inlines: [run(text, style)] };
}

/** Text without Markdown, which a TextBlock or a FactSet would read in it. */
function run(text: string, style: object = {}): object {
  return { type: 'TextRun', text, ...style };
}

function cardColorOf({ phase, severity }: ChannelMessage): string {
  if (phase === 'end') return 'Good';
  return { critical: 'Attention', warning: 'Warning', info: 'Accent' }[severity];
}
