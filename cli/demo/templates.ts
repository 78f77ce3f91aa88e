import type { PutTemplate } from '../../contract/manage/incidents/templates.js';

/** The templates with which the people of the demo begin incidents and maintenance. */
export const demoTemplates: readonly (PutTemplate & { slug: string })[] = [
  {
    slug: 'payments-fail',
    name: 'Payments fail at the provider',
    title: 'Payments fail for some cards',
    summary: 'Some card payments end with an error. Orders are kept, and you can pay again later.',
    monitorSlugs: ['api'],
    updates: [
      {
        status: 'investigating',
        body: 'Some payments fail. We are asking the payment provider for the cause.',
      },
      {
        status: 'identified',
        body: 'The payment provider confirms a disruption. **Invoices and PayPal work.**',
      },
      { status: 'monitoring', body: 'The payment provider has ended the disruption, and payments succeed.' },
      { status: 'resolved', body: 'Payments have worked as usual for half an hour.' },
    ],
    texts: {
      de: {
        title: 'Zahlungen mit manchen Karten schlagen fehl',
        summary:
          'Manche Kartenzahlungen enden mit einem Fehler. Bestellungen bleiben erhalten, und Sie können später zahlen.',
        updates: [
          'Manche Zahlungen schlagen fehl. Wir fragen beim Zahlungsanbieter nach der Ursache.',
          'Der Zahlungsanbieter bestätigt eine Störung. **Rechnung und PayPal funktionieren.**',
          null,
          null,
        ],
      },
    },
  },
  {
    slug: 'site-is-slow',
    name: 'The site is slow',
    title: 'Pages load slowly',
    summary: 'Pages take several seconds to load. Nothing is lost.',
    monitorSlugs: ['website'],
    updates: [{ status: 'investigating', body: 'Pages load slowly. We are looking into the cause.' }],
  },
  {
    slug: 'database-upgrade',
    name: 'Upgrade of the database',
    type: 'maintenance',
    title: 'Database upgrade',
    summary: 'The dashboard is read-only for some minutes.',
    monitorSlugs: ['dashboard'],
    texts: {
      de: {
        title: 'Aktualisierung der Datenbank',
        summary: 'Das Dashboard ist einige Minuten lang nur lesbar.',
      },
    },
  },
];
