import { pluralIn } from './plural.js';
import type { ViewTexts } from './view-texts.js';

const plural = pluralIn('fr');

export const fr: ViewTexts = {
  language: 'fr',
  skip: 'Aller à l’état des services',
  themeAuto: 'Thème : comme le système',
  themeLight: 'Thème : clair',
  themeDark: 'Thème : sombre',
  statusPage: 'Page d’état',
  languages: 'Langues',
  currentStatus: 'État actuel',
  poweredBy: (product) => `Propulsé par ${product}`,
  changed: 'L’état a changé : {state}',
  overall: {
    up: (up, total) => {
      if (up === total) return 'Tous les services fonctionnent';
      return plural(up, {
        one: `${up} service sur ${total} fonctionne`,
        other: `${up} services sur ${total} fonctionnent`,
      });
    },
    down: {
      some: (count, total) => {
        if (total === 1) return 'Le service est en panne';
        if (count === total) return 'Tous les services sont en panne';
        return plural(count, {
          one: `${count} service sur ${total} est en panne`,
          other: `${count} services sur ${total} sont en panne`,
        });
      },
      named: (names, count) => `${names} ${count === 1 ? 'est' : 'sont'} en panne`,
    },
    partial: {
      some: (count, total) => {
        if (total === 1) return 'Le service est partiellement en panne';
        if (count === total) return 'Tous les services sont partiellement en panne';
        return plural(count, {
          one: `${count} service sur ${total} est partiellement en panne`,
          other: `${count} services sur ${total} sont partiellement en panne`,
        });
      },
      named: (names, count) => `${names} ${count === 1 ? 'est' : 'sont'} partiellement en panne`,
    },
    degraded: {
      some: (count, total) => {
        if (total === 1) return 'Le service est ralenti';
        if (count === total) return 'Tous les services sont ralentis';
        return plural(count, {
          one: `${count} service sur ${total} est ralenti`,
          other: `${count} services sur ${total} sont ralentis`,
        });
      },
      named: (names, count) => `${names} ${count === 1 ? 'fonctionne' : 'fonctionnent'} au ralenti`,
    },
    since: '{state}, depuis {time}',
    incident: (open) =>
      plural(open, { one: 'Un incident est en cours', other: `${open} incidents sont en cours` }),
    maintenance: () => 'Une maintenance est en cours',
    paused: 'La surveillance est en pause',
    empty: 'Rien n’est encore surveillé',
    waiting: 'Rien n’est encore connu',
    stale: 'Il n’y a pas de mesure récente',
  },
  overallHint: {
    paused: 'Ci-dessous, le dernier état connu avant la pause.',
    empty: 'Les services apparaîtront ici dès leur première vérification.',
    waiting: 'Les premiers résultats s’afficheront ici d’eux-mêmes.',
    stale: 'Ci-dessous, le dernier état connu ; il a pu changer depuis.',
    partly: 'L’état actuel des autres n’est pas connu.',
  },
  serviceSince: '{name} depuis {time}',
  andMore: (count) => plural(count, { one: `et ${count} autre`, other: `et ${count} autres` }),
  until: 'fin prévue : {time}',
  lastChecked: 'Dernière vérification : {time}',
  services: 'Les services',
  serviceState: {
    up: 'En service',
    degraded: 'Ralenti',
    partial: 'Partiellement en panne',
    down: 'En panne',
    maintenance: 'En maintenance',
    paused: 'En pause',
    unknown: 'Pas encore connu',
    waiting: 'En attente du premier appel',
    stale: 'Pas de vérification récente',
  },
  slowSince: 'Réponses lentes depuis {time}',
  uptime: {
    over: (percent, days) => `${percent} de disponibilité sur ${days} jours`,
    since: (percent, day) => `${percent} de disponibilité depuis le ${day}`,
  },
  soFar: {
    good: (day) => `Aucune panne depuis le ${day}`,
    down: (duration, day) => `${duration} de panne depuis le ${day}`,
  },
  responseTime: 'Temps de réponse',
  chart: {
    ranges: 'Période',
    average: 'Moyenne {ms}',
    p95: '95e centile {ms}',
    nothing: 'Rien n’a été mesuré pendant cette période.',
  },
  day: {
    good: 'Aucune panne',
    down: 'en panne pendant {duration}',
    degraded: 'ralenti pendant {duration}',
    failed: '{rate} des vérifications ont échoué',
    unmeasured: 'Non mesuré',
  },
  legend: {
    good: 'Aucune panne',
    degraded: 'Ralenti',
    failed: 'Vérifications échouées',
    down: 'Panne',
    unmeasured: 'Non mesuré',
  },
  lastDays: (days) => plural(days, { one: 'Dernier jour', other: `${days} derniers jours` }),
  since: (day) => `Depuis le ${day}`,
  bars: {
    good: (time) => `${time} : aucune panne`,
    down: (time, downDays) =>
      plural(downDays, {
        one: `${time} : panne sur un seul jour`,
        other: `${time} : pannes sur ${downDays} jours`,
      }),
  },
  unmeasuredDays: (days) =>
    plural(days, { one: 'un jour n’a pas été mesuré', other: `${days} jours n’ont pas été mesurés` }),
  happeningNow: 'En ce moment',
  planned: 'Maintenances prévues',
  past: 'Incidents passés',
  type: { incident: 'Incident', maintenance: 'Maintenance' },
  updateStatus: {
    investigating: 'En cours d’analyse',
    identified: 'Cause identifiée',
    monitoring: 'Sous observation',
    resolved: 'Résolu',
  },
  maintenanceState: { scheduled: 'Prévue', in_progress: 'En cours', completed: 'Terminée' },
  calledOff: 'Annulée',
  ongoing: 'En cours',
  affects: (names) => `Concerne ${names}`,
  began: 'Depuis le {time}',
  span: '{from} – {to}',
  openSpan: 'À partir du {from}, fin non fixée',
  lasted: (duration) => `Durée : ${duration}`,
  allUpdates: (updates) => plural(updates, { one: 'Voir le message', other: `Voir les ${updates} messages` }),
  noIncidents: 'Aucun incident signalé',
  noIncidentsIn: (days) => `Aucun incident signalé au cours des ${days} derniers jours.`,
  noOtherIncidentsIn: (days) => `Aucun autre incident signalé au cours des ${days} derniers jours.`,
  history: 'Historique des incidents',
  fullHistory: 'Voir tout l’historique',
  historyEmpty: 'Aucun incident signalé ce mois-là.',
  historyOf: (month) => `Historique des incidents, ${month}`,
  earlier: 'Avant',
  later: 'Après',
  pages: {
    name: 'Pages de ce mois',
    current: (page, pages) => `Page ${page} sur ${pages}`,
    older: 'Incidents plus anciens',
    newer: 'Incidents plus récents',
  },
  timeline: 'Chronologie',
  postmortem: 'Retour d’expérience',
  noUpdates: 'Aucun message n’a été publié.',
  notFoundTitle: 'Il n’y a rien à cette adresse',
  notFoundText: 'Le lien est peut-être incomplet, ou sa cible n’existe plus.',
  privatePage: {
    title: 'Cette page d’état est privée',
    askPassword: 'Saisissez le mot de passe, ou connectez-vous si vous la gérez.',
    noPassword: 'Elle est lisible depuis certains réseaux, et par celles et ceux qui la gèrent.',
    password: 'Mot de passe',
    open: 'Ouvrir la page',
    wrong: 'Ce n’est pas le bon mot de passe.',
    busy: 'Trop de mots de passe ont été essayés. Veuillez patienter un quart d’heure.',
    signIn: 'Se connecter au tableau de bord',
  },
  unavailableTitle: 'La page d’état ne peut pas être affichée pour le moment',
  unavailableText: 'Cela ne dit rien des services eux-mêmes. Veuillez réessayer dans un instant.',
  tryAgain: 'Réessayer',
  subscribe: 'S’abonner',
  subscribeTitle: 'Soyez prévenu en premier',
  subscribeText: 'Un e-mail dès qu’un incident est signalé ou qu’une maintenance est prévue.',
  followText: 'Suivez les incidents et les maintenances par flux, dans un chat ou par webhook.',
  noMailText: 'Cette page n’envoie pas d’e-mails. Abonnez un chat ou suivez un flux.',
  email: 'Adresse e-mail',
  emailNote: 'Une confirmation vous sera d’abord demandée. Chaque e-mail contient un lien de désabonnement.',
  otherWays: 'Autres moyens',
  feeds: 'Flux',
  feedPerUpdate: 'RSS, chaque mise à jour',
  webhooks: 'Pour des webhooks signés, demandez au responsable de cette page d’ajouter votre adresse.',
  sentTitle: 'Consultez votre messagerie',
  sentText:
    'Si l’adresse peut être abonnée, un lien vient de lui être envoyé. Ouvrez-le pour confirmer l’abonnement.',
  refusedTitle: 'Cela n’a pas fonctionné',
  refusedText: 'Vérifiez l’adresse e-mail et réessayez.',
  busyText: 'Il y a eu beaucoup d’inscriptions. Veuillez réessayer dans une heure.',
};
