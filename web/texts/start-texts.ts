import type { ViewTextsLanguage } from './languages.js';

/** Texts of the start page of a service, and of the answer on a host without a status page. */
export type StartTexts = {
  running: string;
  notReady: string;
  /** The state of both stores, when nothing is wrong. */
  ready: string;
  /** What the product is, in one sentence. */
  about: string;
  pages: string;
  /** For visitors who may not see the list. */
  pagesElsewhere: string;
  noPages: string;
  morePages: (count: number) => string;
  more: string;
  description: string;
  readiness: string;
  metrics: string;
  docs: string;
  noPageTitle: string;
  noPageText: string;
  /** Where the dashboard would be with another setting, which follows the text. */
  closedTitle: string;
  closedText: string;
  /** The title when it is known which page is meant; `servedAt` is followed by its address. */
  elsewhereTitle: string;
  servedAt: string;
};

export const startTextsByLanguage: Readonly<Record<ViewTextsLanguage, StartTexts>> = {
  en: {
    running: 'Heartline is running',
    notReady: 'Heartline is not ready',
    ready: 'Both stores answer.',
    about:
      'It counts what applications report, checks services from outside, and publishes their status pages.',
    pages: 'Status pages',
    pagesElsewhere: 'Each status page is served on its own host name.',
    noPages: 'There is no status page yet. Create one:',
    morePages: (count) => `and ${count} more`,
    more: 'For operators and developers',
    description: 'The API, as OpenAPI 3.1',
    readiness: 'State of both stores',
    metrics: 'Metrics for Prometheus',
    docs: 'The documentation of this version',
    noPageTitle: 'There is no status page here',
    noPageText: 'No status page is served at this address. Check it for typing errors.',
    closedTitle: 'The dashboard is not open under this name',
    closedText:
      'Any name can become that of a status page. Without BASE_URL, the dashboard is at 127.0.0.1, at localhost and at the IP addresses of the machine. With it, monitors and webhooks reach private networks only if HEARTLINE_ALLOW_PRIVATE_ADDRESSES is on. To open the dashboard here, set this and start the service again:',
    elsewhereTitle: 'This status page has another address',
    servedAt: 'This page is served at',
  },
  de: {
    running: 'Heartline läuft',
    notReady: 'Heartline ist nicht bereit',
    ready: 'Beide Datenbanken antworten.',
    about:
      'Heartline zählt, was Anwendungen melden, prüft Dienste von außen und veröffentlicht ihre Statusseiten.',
    pages: 'Statusseiten',
    pagesElsewhere: 'Jede Statusseite hat ihren eigenen Hostnamen.',
    noPages: 'Es gibt noch keine Statusseite. So legen Sie eine an:',
    morePages: (count) => `und ${count} weitere`,
    more: 'Für Betrieb und Entwicklung',
    description: 'Die API, als OpenAPI 3.1',
    readiness: 'Zustand beider Datenbanken',
    metrics: 'Metriken für Prometheus',
    docs: 'Die Dokumentation dieser Version',
    noPageTitle: 'Hier gibt es keine Statusseite',
    noPageText: 'Unter dieser Adresse gibt es keine Statusseite. Prüfen Sie die Adresse auf Tippfehler.',
    closedTitle: 'Das Dashboard ist unter diesem Namen nicht zu öffnen',
    closedText:
      'Jeder Name kann der einer Statusseite werden. Ohne BASE_URL ist das Dashboard unter 127.0.0.1, localhost und den IP-Adressen des Rechners zu finden. Mit ihr erreichen Überwachungen und Webhooks private Netze nur, wenn HEARTLINE_ALLOW_PRIVATE_ADDRESSES auf on steht. Damit sich das Dashboard hier öffnet, setzen Sie dies und starten den Dienst neu:',
    elsewhereTitle: 'Diese Statusseite hat eine andere Adresse',
    servedAt: 'Diese Seite finden Sie unter',
  },
  fr: {
    running: 'Heartline fonctionne',
    notReady: 'Heartline n’est pas prêt',
    ready: 'Les deux bases de données répondent.',
    about:
      'Heartline compte ce que les applications signalent, vérifie les services de l’extérieur et publie leurs pages d’état.',
    pages: 'Pages d’état',
    pagesElsewhere: 'Chaque page d’état a son propre nom d’hôte.',
    noPages: 'Il n’y a pas encore de page d’état. Pour en créer une :',
    morePages: (count) => `et ${count} de plus`,
    more: 'Pour l’exploitation et le développement',
    description: 'L’API, au format OpenAPI 3.1',
    readiness: 'État des deux bases de données',
    metrics: 'Métriques pour Prometheus',
    docs: 'La documentation de cette version',
    noPageTitle: 'Il n’y a pas de page d’état ici',
    noPageText: 'Aucune page d’état ne se trouve à cette adresse. Vérifiez qu’elle est bien écrite.',
    closedTitle: 'Le tableau de bord ne s’ouvre pas sous ce nom',
    closedText:
      'Tout nom peut devenir celui d’une page d’état. Sans BASE_URL, le tableau de bord se trouve à 127.0.0.1, à localhost et aux adresses IP de la machine. Avec elle, les sondes et les webhooks n’atteignent les réseaux privés que si HEARTLINE_ALLOW_PRIVATE_ADDRESSES vaut on. Pour ouvrir le tableau de bord ici, définissez ceci et redémarrez le service :',
    elsewhereTitle: 'Cette page d’état a une autre adresse',
    servedAt: 'Cette page se trouve à l’adresse',
  },
  es: {
    running: 'Heartline está en marcha',
    notReady: 'Heartline no está listo',
    ready: 'Las dos bases de datos responden.',
    about:
      'Heartline cuenta lo que notifican las aplicaciones, comprueba los servicios desde fuera y publica sus páginas de estado.',
    pages: 'Páginas de estado',
    pagesElsewhere: 'Cada página de estado tiene su propio nombre de host.',
    noPages: 'Todavía no hay ninguna página de estado. Para crear una:',
    morePages: (count) => `y ${count} más`,
    more: 'Para operación y desarrollo',
    description: 'La API, en formato OpenAPI 3.1',
    readiness: 'Estado de las dos bases de datos',
    metrics: 'Métricas para Prometheus',
    docs: 'La documentación de esta versión',
    noPageTitle: 'Aquí no hay ninguna página de estado',
    noPageText: 'En esta dirección no hay ninguna página de estado. Compruebe que esté bien escrita.',
    closedTitle: 'El panel no se abre con este nombre',
    closedText:
      'Cualquier nombre puede pasar a ser el de una página de estado. Sin BASE_URL, el panel está en 127.0.0.1, en localhost y en las direcciones IP de la máquina. Con ella, los monitores y los webhooks solo llegan a redes privadas si HEARTLINE_ALLOW_PRIVATE_ADDRESSES es on. Para abrir el panel aquí, defina esto y reinicie el servicio:',
    elsewhereTitle: 'Esta página de estado tiene otra dirección',
    servedAt: 'Esta página se encuentra en',
  },
  ja: {
    running: 'Heartline は稼働しています',
    notReady: 'Heartline は準備ができていません',
    ready: '両方のデータストアが応答しています。',
    about: 'アプリケーションからの報告を集計し、サービスを外部から確認して、ステータスページを公開します。',
    pages: 'ステータスページ',
    pagesElsewhere: '各ステータスページは、それぞれのホスト名で公開されています。',
    noPages: 'ステータスページはまだありません。次のコマンドで作成できます。',
    morePages: (count) => `ほか ${count} 件`,
    more: '運用と開発のために',
    description: 'API（OpenAPI 3.1）',
    readiness: '両方のデータストアの状態',
    metrics: 'Prometheus 用のメトリクス',
    docs: 'このバージョンのドキュメント',
    noPageTitle: 'ここにはステータスページがありません',
    noPageText: 'このアドレスにステータスページはありません。入力に誤りがないかご確認ください。',
    closedTitle: 'この名前ではダッシュボードを開けません',
    closedText:
      'どの名前もステータスページの名前になる可能性があります。BASE_URL を設定しない場合、ダッシュボードは 127.0.0.1、localhost、およびこのマシンの IP アドレスで開けます。設定した場合、監視と Webhook がプライベートネットワークに接続できるのは HEARTLINE_ALLOW_PRIVATE_ADDRESSES が on のときだけです。ここで開くには、次の値を設定してサービスを再起動してください。',
    elsewhereTitle: 'このステータスページのアドレスは別です',
    servedAt: 'このページのアドレス：',
  },
};
