import type { IncidentType, UpdateStatus } from '../../contract/incidents.js';
import { plot } from './plot.js';

/** A text in each language of the demo page. */
export type Text = { en: string; de: string; ja: string };

/** A past or planned incident or maintenance. Times are minutes from when the page is filled; past ones are negative. */
export type Chapter = {
  type: IncidentType;
  title: Text;
  summary: Text;
  services: readonly string[];
  publishedAt: number;
  startedAt: number;
  /** Only for maintenance. */
  scheduledEndAt?: number;
  updates: readonly { at: number; status: UpdateStatus; body: Text }[];
};

/** When a monitor was down; `until` is missing while the incident is open. */
export type Outage = { slug: string; from: number; until?: number };

const day = 24 * 60;
const apiErrors = -61 * day - 372;
const upgrade = -33 * day - 95;
const webhooksLate = -9 * day - 528;
const { searchDown, release, poolOut } = plot;
const networkWork = 2 * day + 260;

export const story: readonly Chapter[] = [
  {
    type: 'incident',
    title: {
      en: 'Elevated error rates on the API',
      de: 'Erhöhte Fehlerrate der API',
      ja: 'API のエラー率上昇',
    },
    summary: {
      en: 'Requests to the API and the dashboard failed after a deployment.',
      de: 'Nach einem Deployment schlugen Anfragen an API und Dashboard fehl.',
      ja: 'デプロイ後、API とダッシュボードへのリクエストが失敗しました。',
    },
    services: ['api', 'dashboard'],
    publishedAt: apiErrors + 6,
    startedAt: apiErrors,
    updates: [
      {
        at: apiErrors + 6,
        status: 'investigating',
        body: {
          en: 'We see failing requests and are looking into it.',
          de: 'Wir sehen fehlschlagende Anfragen und untersuchen die Ursache.',
          ja: 'リクエストの失敗を確認し、調査しています。',
        },
      },
      {
        at: apiErrors + 21,
        status: 'identified',
        body: {
          en: 'The last deployment exhausts the connections to the database. We are rolling it back.',
          de: 'Das letzte Deployment erschöpft die Verbindungen zur Datenbank. Wir nehmen es zurück.',
          ja: '直近のデプロイがデータベース接続を使い切っています。ロールバック中です。',
        },
      },
      {
        at: apiErrors + 49,
        status: 'monitoring',
        body: {
          en: 'The rollback is complete and requests succeed again.',
          de: 'Die Rücknahme ist abgeschlossen, Anfragen gelingen wieder.',
          ja: 'ロールバックが完了し、リクエストは正常に処理されています。',
        },
      },
      {
        at: apiErrors + 95,
        status: 'resolved',
        body: {
          en: 'Error rates have been normal for three quarters of an hour.',
          de: 'Die Fehlerrate ist seit einer Dreiviertelstunde wieder normal.',
          ja: 'エラー率は 45 分間正常な状態が続いています。',
        },
      },
    ],
  },
  {
    type: 'maintenance',
    title: { en: 'Database upgrade', de: 'Aktualisierung der Datenbank', ja: 'データベースのアップグレード' },
    summary: {
      en: 'The dashboard is read-only for some minutes.',
      de: 'Das Dashboard ist einige Minuten lang nur lesbar.',
      ja: 'ダッシュボードは数分間、読み取り専用になります。',
    },
    services: ['dashboard', 'website'],
    publishedAt: upgrade - 5 * day,
    startedAt: upgrade,
    scheduledEndAt: upgrade + 120,
    updates: [
      {
        at: upgrade + 70,
        status: 'resolved',
        body: {
          en: 'The upgrade was finished earlier than planned.',
          de: 'Die Aktualisierung war früher fertig als geplant.',
          ja: 'アップグレードは予定より早く完了しました。',
        },
      },
    ],
  },
  {
    type: 'incident',
    title: { en: 'Webhooks are delayed', de: 'Webhooks verzögern sich', ja: 'Webhook の遅延' },
    summary: {
      en: 'Deliveries wait in a queue; none are lost.',
      de: 'Zustellungen warten in einer Warteschlange; keine geht verloren.',
      ja: '配信はキューで待機しており、失われることはありません。',
    },
    services: ['webhooks'],
    publishedAt: webhooksLate + 11,
    startedAt: webhooksLate,
    updates: [
      {
        at: webhooksLate + 11,
        status: 'investigating',
        body: {
          en: 'Workers stopped taking deliveries from the queue.',
          de: 'Die Worker nehmen keine Zustellungen mehr aus der Warteschlange.',
          ja: 'ワーカーがキューから配信を取り出さなくなりました。',
        },
      },
      {
        at: webhooksLate + 132,
        status: 'monitoring',
        body: {
          en: 'A stuck lock was released. The queue is being worked off.',
          de: 'Eine hängende Sperre wurde gelöst. Die Warteschlange wird abgearbeitet.',
          ja: '停止していたロックを解放しました。キューを処理しています。',
        },
      },
      {
        at: webhooksLate + 168,
        status: 'resolved',
        body: {
          en: 'All deliveries have been made.',
          de: 'Alle Zustellungen sind erfolgt.',
          ja: 'すべての配信が完了しました。',
        },
      },
    ],
  },
  {
    type: 'maintenance',
    title: { en: 'Release of the shop', de: 'Neue Version des Shops', ja: 'ショップのリリース' },
    summary: {
      en: 'Version 4.12 brings reviews with pictures. No interruption is expected.',
      de: 'Version 4.12 bringt Bewertungen mit Bildern. Eine Unterbrechung wird nicht erwartet.',
      ja: 'バージョン 4.12 で写真付きレビューが利用できるようになります。中断は予定されていません。',
    },
    services: ['website', 'api'],
    publishedAt: release.from - day,
    startedAt: release.from,
    scheduledEndAt: release.from + 60,
    updates: [
      {
        at: release.to,
        status: 'resolved',
        body: {
          en: 'Version 4.12 is live.',
          de: 'Version 4.12 ist in Betrieb.',
          ja: 'バージョン 4.12 を公開しました。',
        },
      },
    ],
  },
  {
    type: 'incident',
    title: { en: 'Some orders fail', de: 'Manche Bestellungen schlagen fehl', ja: '一部の注文が失敗します' },
    summary: {
      en: 'Orders take several seconds, and some of them end with an error.',
      de: 'Bestellungen dauern mehrere Sekunden, und manche enden mit einem Fehler.',
      ja: '注文に数秒かかり、一部はエラーになります。',
    },
    services: ['api'],
    publishedAt: poolOut.from + 14,
    startedAt: poolOut.from,
    updates: [
      {
        at: poolOut.from + 14,
        status: 'investigating',
        body: {
          en: 'We are looking into why orders are slow.',
          de: 'Wir untersuchen, warum Bestellungen langsam sind.',
          ja: '注文が遅い原因を調査しています。',
        },
      },
      {
        at: poolOut.from + 41,
        status: 'identified',
        body: {
          en: 'The shop has no connection to the database of orders left. We are giving it more.',
          de: 'Dem Shop fehlen Verbindungen zur Datenbank der Bestellungen. Wir geben ihm mehr.',
          ja: '注文データベースへの接続が不足しています。上限を引き上げています。',
        },
      },
      {
        at: poolOut.to + 9,
        status: 'resolved',
        body: {
          en: 'Orders are as fast as usual.',
          de: 'Bestellungen sind so schnell wie sonst.',
          ja: '注文は通常の速度に戻りました。',
        },
      },
    ],
  },
  {
    type: 'incident',
    title: { en: 'Search is unavailable', de: 'Die Suche ist nicht verfügbar', ja: '検索が利用できません' },
    summary: {
      en: 'Searches end with an error. Everything else works.',
      de: 'Suchanfragen enden mit einem Fehler. Alles andere funktioniert.',
      ja: '検索がエラーになります。その他の機能は正常です。',
    },
    services: ['search'],
    publishedAt: searchDown + 5,
    startedAt: searchDown,
    updates: [
      {
        at: searchDown + 5,
        status: 'investigating',
        body: {
          en: 'We are looking into why searches fail.',
          de: 'Wir untersuchen, warum Suchanfragen fehlschlagen.',
          ja: '検索が失敗する原因を調査しています。',
        },
      },
      {
        at: searchDown + 19,
        status: 'identified',
        body: {
          en: 'An index is damaged and is being rebuilt.',
          de: 'Ein Index ist beschädigt und wird neu aufgebaut.',
          ja: '破損したインデックスを再構築しています。',
        },
      },
    ],
  },
  {
    type: 'maintenance',
    title: { en: 'Work on the network', de: 'Arbeiten am Netzwerk', ja: 'ネットワークメンテナンス' },
    summary: {
      en: 'Connections may be interrupted for some seconds.',
      de: 'Verbindungen können für einige Sekunden unterbrochen werden.',
      ja: '接続が数秒間中断されることがあります。',
    },
    services: ['api', 'webhooks'],
    publishedAt: -day - 77,
    startedAt: networkWork,
    scheduledEndAt: networkWork + 90,
    updates: [],
  },
];

/** The outages of the chapters, and some that were too short for an incident. */
export const outages: readonly Outage[] = [
  { slug: 'website', from: -79 * day - 200, until: -79 * day - 193 },
  { slug: 'search', from: -72 * day - 901, until: -72 * day - 880 },
  { slug: 'api', from: apiErrors, until: apiErrors + 47 },
  { slug: 'dashboard', from: apiErrors + 2, until: apiErrors + 48 },
  { slug: 'background-jobs', from: -48 * day - 640, until: -48 * day - 575 },
  { slug: 'dashboard', from: upgrade + 20, until: upgrade + 33 },
  { slug: 'search', from: -25 * day - 410, until: -25 * day - 398 },
  { slug: 'webhooks', from: webhooksLate, until: webhooksLate + 131 },
  { slug: 'dashboard', from: -6 * day - 1120, until: -6 * day - 1111 },
  { slug: 'search', from: searchDown },
];
