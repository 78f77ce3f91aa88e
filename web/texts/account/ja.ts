import type { AccountTexts } from './account-texts.js';

export const ja: AccountTexts = {
  languages: '言語',
  email: 'メールアドレス',
  password: 'パスワード',
  newPassword: '新しいパスワード',
  newPasswordNote: '12 文字以上。互いに関係のない単語をいくつか並べると安全です。',
  name: 'お名前',
  nameNote: '変更の記録とともに、ほかの人に表示されます。',
  linkCode: 'リンクのコード',
  linkCodeNote: 'リンクの # より後ろをすべて貼り付けてください。',
  signIn: {
    title: 'サインイン',
    text: 'ステータスページ、監視、障害情報を管理します。',
    button: 'サインイン',
    forgot: 'パスワードをお忘れですか？',
    or: 'または',
    withProvider: (host) => `${host} で続行`,
    providerOnly: 'この環境では、ID プロバイダーを使ってサインインします。',
    notSetUp:
      'この環境はまだ設定されていません。設定用のリンクは、サービスの起動時にコンソールに表示されます。「heartline user invite --admin --email you@example.com」でも表示できます。',
    signedOut: 'サインアウトしました。',
    passwordChanged: 'パスワードを変更しました。新しいパスワードでサインインしてください。',
  },
  code: {
    title: 'ご本人の確認',
    text: '認証アプリに表示されている 6 桁の数字を入力してください。',
    button: '確認',
    label: '確認コード',
    note: 'スマートフォンがない場合は、リカバリーコードを入力してください。各コードは一度だけ使えます。',
    again: '最初からやり直す',
  },
  setup: {
    title: 'Heartline のセットアップ',
    text: 'このアカウントで、ページ、利用者、設定を含むこの環境全体を管理します。',
    demo: 'ページ「demo」の所有者になります。',
    button: 'アカウントを作成',
  },
  invitation: {
    title: '招待が届いています',
    text: '招待のコードを入力すると、招待した人と内容が表示されます。',
    open: '続ける',
    toPage: (inviter, page) => `${inviter} さんから、ステータスページ ${page} の運営に招待されています。`,
    toInstallation: (inviter) => `${inviter} さんから、この環境とすべてのページの管理に招待されています。`,
    role: '役割',
    for: '宛先',
    newAccount: '名前とパスワードを決めて、アカウントを作成してください。',
    unprovenAccount:
      'このアドレスのアカウントはありますが、本人であることがまだ確認されていません。このリンクであなたのアカウントになります。名前とパスワードを決めてください。以前のパスワード、認証アプリ、セッションは無効になります。',
    existingAccount: 'すでにアカウントがあります。サインインして承諾してください。',
    haveAccount: 'すでにアカウントをお持ちですか？',
    notCreated:
      'アカウントは作成されませんでした。アカウントをお持ちの場合は、サインインして承諾してください。お持ちでない場合は、メールのリンクを開くか、管理者にお問い合わせください。',
    accept: '招待を承諾',
    otherAccount: (email) =>
      `${email} としてサインインしています。この招待を承諾するには、先にサインアウトしてください。`,
  },
  reset: {
    title: '新しいパスワードの設定',
    text: '設定すると、すべての端末でサインアウトします。',
    button: 'パスワードを保存',
  },
  forgot: {
    title: 'パスワードをお忘れですか？',
    text: 'メールアドレスを入力してください。新しいパスワードを設定するためのリンクを送信します。',
    button: 'リンクを送信',
    sentTitle: 'メールをご確認ください',
    sentText: 'このメールアドレスのアカウントがあれば、リンクをお送りしました。有効期間は 1 日です。',
    back: 'サインインに戻る',
  },
  signOut: 'サインアウト',
  dashboard: {
    title: 'ダッシュボード',
    needsScript: 'ダッシュボードには JavaScript が必要です。同じ操作は API とコマンドラインでも行えます。',
  },
  roles: { viewer: '閲覧者', responder: '対応者', editor: '編集者', owner: '所有者' },
  roleNotes: {
    viewer: 'すべてを閲覧できますが、変更はできません',
    responder: '障害情報とメンテナンスを作成できます',
    editor: '監視、ページ、通知も変更できます',
    owner: 'キー、利用者、イベントの保存先も管理できます',
  },
  errors: {
    refused: 'メールアドレス、パスワード、またはコードが正しくありません。',
    codeRefused: 'コードが正しくないか、すでに使われています。アプリに表示される次のコードをお試しください。',
    codeExpired: '時間が経ちすぎました。もう一度サインインしてください。',
    tooMany: (minutes) => `失敗が続いたため、${minutes} 分後にもう一度お試しください。`,
    emailInvalid: 'ann@example.com のようなメールアドレスを入力してください。',
    passwordMissing: 'パスワードを入力してください。',
    passwordLength: '12 文字以上 200 文字以下のパスワードを入力してください。',
    passwordCommon: 'このパスワードは多くの人が使っています。別のものにしてください。',
    passwordOwn: '名前やメールアドレスをパスワードに使わないでください。',
    nameInvalid: '200 文字以内の名前を 1 行で入力してください。',
    linkMissing: 'リンクのコードを貼り付けてください。',
    linkRefused: 'リンクの期限が切れているか、使用済みか、不完全です。新しいリンクを依頼してください。',
    alreadySetUp: 'この環境はすでにセットアップ済みです。サインインするか、管理者に招待を依頼してください。',
    otherOrigin: 'フォームがこのページから送信されていません。もう一度送信してください。',
    providerDown: 'ID プロバイダーが応答しません。しばらくしてからお試しください。',
    providerRefused: 'ID プロバイダーでのサインインに失敗しました。もう一度お試しください。',
    providerUnknown: 'ここにはあなたのアカウントがありません。管理者に招待を依頼してください。',
    providerCode: (code) =>
      `ID プロバイダーでのサインインに失敗しました (${code})。もう一度試すか、このコードを管理者に伝えてください。`,
    providerNoEmail:
      'ID プロバイダーからメールアドレスが送られませんでした。スコープまたはクレーム「email」の追加を管理者に依頼してください。',
    providerEmailDenied:
      'ID プロバイダーによると、メールアドレスは確認されていません。確認を管理者に依頼してください。',
    providerEmailUnstated:
      'ID プロバイダーがメールアドレスの確認状況を送りません。クレーム「email_verified」または HEARTLINE_OIDC_TRUST_EMAIL=on を管理者に依頼してください。',
    providerTooManyGroups:
      '所属グループが多すぎて、ID プロバイダーが送信できません。このアプリのグループだけを送るよう管理者に依頼してください。',
    providerOtherIdentity:
      'このメールアドレスのアカウントは別の ID に属しています。アドレスの変更をこのサービスの管理者に依頼してください。',
    busy: '現在混み合っています。しばらくしてからお試しください。',
  },
};
