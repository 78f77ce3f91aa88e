import type { ViewTexts } from './view-texts.js';

/** Japanese has one form for every number. */
export const ja: ViewTexts = {
  language: 'ja',
  skip: 'ステータスへ移動',
  themeAuto: 'テーマ：システムに合わせる',
  themeLight: 'テーマ：ライト',
  themeDark: 'テーマ：ダーク',
  statusPage: 'ステータスページ',
  languages: '言語',
  currentStatus: '現在のステータス',
  poweredBy: (product) => `${product} で運用`,
  changed: 'ステータスが変わりました：{state}',
  overall: {
    up: (up, total) => {
      if (up === total) return 'すべてのサービスが稼働しています';
      return `${total} 件中 ${up} 件のサービスが稼働しています`;
    },
    down: {
      some: (count, total) => {
        if (total === 1) return 'サービスが停止しています';
        if (count === total) return 'すべてのサービスが停止しています';
        return `${total} 件中 ${count} 件のサービスが停止しています`;
      },
      named: (names) => `${names} が停止しています`,
    },
    partial: {
      some: (count, total) => {
        if (total === 1) return 'サービスの一部が停止しています';
        if (count === total) return 'すべてのサービスの一部が停止しています';
        return `${total} 件中 ${count} 件のサービスの一部が停止しています`;
      },
      named: (names) => `${names} の一部が停止しています`,
    },
    degraded: {
      some: (count, total) => {
        if (total === 1) return 'サービスの性能が低下しています';
        if (count === total) return 'すべてのサービスの性能が低下しています';
        return `${total} 件中 ${count} 件のサービスの性能が低下しています`;
      },
      named: (names) => `${names} の性能が低下しています`,
    },
    since: '{state}（{time} から）',
    incident: (open) => (open === 1 ? '障害に対応しています' : `${open} 件の障害に対応しています`),
    maintenance: () => 'メンテナンスを実施しています',
    paused: '監視を一時停止しています',
    empty: '監視しているサービスはまだありません',
    waiting: '状態はまだわかりません',
    stale: '最近の測定結果がありません',
  },
  overallHint: {
    paused: '以下は、一時停止する前の最後の状態です。',
    empty: '最初の確認が済むと、ここにサービスが表示されます。',
    waiting: '最初の結果が出ると、このページに自動的に表示されます。',
    stale: '以下は最後に確認された状態で、現在とは異なる場合があります。',
    partly: 'その他のサービスの現在の状態はわかりません。',
  },
  serviceSince: '{name}：{time} から',
  andMore: (count) => `ほか ${count} 件`,
  until: '{time} まで',
  lastChecked: '最終確認：{time}',
  services: 'サービス',
  serviceState: {
    up: '稼働中',
    degraded: '性能低下',
    partial: '一部停止',
    down: '停止',
    maintenance: 'メンテナンス中',
    paused: '一時停止',
    unknown: '状態はまだ不明',
    waiting: '最初の呼び出しを待っています',
    stale: '最近の確認なし',
  },
  slowSince: '{time} から応答が遅くなっています',
  uptime: {
    over: (percent, days) => `${days} 日間の稼働率 ${percent}`,
    since: (percent, day) => `${day}からの稼働率 ${percent}`,
  },
  soFar: {
    good: (day) => `${day}から停止なし`,
    down: (duration, day) => `${day}から${duration}間停止`,
  },
  responseTime: '応答時間',
  chart: {
    ranges: '期間',
    average: '平均 {ms}',
    p95: '95 パーセンタイル {ms}',
    nothing: 'この期間の測定値はありません。',
  },
  day: {
    good: '停止なし',
    down: '{duration}間停止',
    degraded: '{duration}間性能低下',
    failed: '確認の {rate} が失敗',
    unmeasured: '測定なし',
  },
  legend: {
    good: '停止なし',
    degraded: '性能低下',
    failed: '確認の失敗',
    down: '停止',
    unmeasured: '測定なし',
  },
  lastDays: (days) => `過去 ${days} 日間`,
  since: (day) => `${day}から`,
  bars: {
    good: (time) => `${time}：停止なし`,
    down: (time, downDays) => `${time}：${downDays} 日に停止あり`,
  },
  unmeasuredDays: (days) => `${days} 日は測定なし`,
  happeningNow: '現在発生中',
  planned: '予定されているメンテナンス',
  past: '過去の障害',
  type: { incident: '障害', maintenance: 'メンテナンス' },
  updateStatus: {
    investigating: '調査中',
    identified: '原因を特定',
    monitoring: '経過観察中',
    resolved: '解決済み',
  },
  maintenanceState: { scheduled: '予定', in_progress: '実施中', completed: '完了' },
  calledOff: '中止',
  ongoing: '継続中',
  affects: (names) => `対象：${names}`,
  began: '{time} に発生',
  span: '{from} ～ {to}',
  openSpan: '{from} から（終了未定）',
  lasted: (duration) => `所要時間：${duration}`,
  allUpdates: (updates) => (updates === 1 ? '更新を見る' : `${updates} 件の更新をすべて見る`),
  noIncidents: '障害の報告なし',
  noIncidentsIn: (days) => `過去 ${days} 日間、障害は報告されていません。`,
  noOtherIncidentsIn: (days) => `過去 ${days} 日間、ほかに障害は報告されていません。`,
  history: '障害の履歴',
  fullHistory: 'すべての履歴を見る',
  historyEmpty: 'この月に報告された障害はありません。',
  historyOf: (month) => `障害の履歴（${month}）`,
  earlier: '前の月',
  later: '次の月',
  pages: {
    name: 'この月のページ',
    current: (page, pages) => `${page} / ${pages} ページ`,
    older: '以前の障害',
    newer: '新しい障害',
  },
  timeline: '経過',
  postmortem: '事後報告',
  noUpdates: '更新は掲載されていません。',
  notFoundTitle: 'このアドレスには何もありません',
  notFoundText: 'リンクが途中で切れているか、リンク先がなくなった可能性があります。',
  privatePage: {
    title: 'このステータスページは非公開です',
    askPassword: 'パスワードを入力してください。運営者の方はサインインしてください。',
    noPassword: '特定のネットワークと運営者のみが閲覧できます。',
    password: 'パスワード',
    open: 'ページを開く',
    wrong: 'パスワードが違います。',
    busy: '試行回数が多すぎます。15 分ほどお待ちください。',
    signIn: 'ダッシュボードにサインイン',
  },
  unavailableTitle: '現在、ステータスページを表示できません',
  unavailableText:
    'これはサービス自体の状態を示すものではありません。しばらくしてから、もう一度お試しください。',
  tryAgain: 'もう一度試す',
  subscribe: '購読する',
  subscribeTitle: 'いち早く通知を受け取る',
  subscribeText: '障害の報告やメンテナンスの予定をメールでお知らせします。',
  followText: '障害とメンテナンスの情報を、フィード、チャット、Webhook で受け取れます。',
  noMailText: 'このページはメールを送信しません。チャットで購読するか、フィードをご利用ください。',
  email: 'メールアドレス',
  emailNote: '最初に確認メールをお送りします。どのメールにも配信停止のリンクがあります。',
  otherWays: 'その他の方法',
  feeds: 'フィード',
  feedPerUpdate: 'RSS（更新ごと）',
  webhooks: '署名付き Webhook をご希望の場合は、このページの運営者に宛先の追加をご依頼ください。',
  sentTitle: 'メールをご確認ください',
  sentText:
    '登録できるアドレスであれば、確認用のリンクをお送りしました。リンクを開いて購読を確定してください。',
  refusedTitle: '登録できませんでした',
  refusedText: 'メールアドレスを確認して、もう一度お試しください。',
  busyText: '登録が集中しています。1時間ほどしてから、もう一度お試しください。',
};
