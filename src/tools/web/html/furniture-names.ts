/** The words by which pages name and head what is not their content: menus, share bars, related links, banners, forms. */

function asName(words: string): RegExp {
  return new RegExp(`(?:^|[\\s_-])(?:${words.trim().split(/\s+/).join("|")})(?:$|[\\s_-])`);
}

/** Names that hardly ever hold content. */
export const surely = asName(`
  share sharing sharebar social socials addthis newsletter subscribe subscription signup sign-up cookies? consent gdpr
  breadcrumbs? crumbs pagination pager advert advertisement adverts? ads? adsbygoogle ad-slot adthrive sponsor(?:ed)? promo(?:tion)?
  skip-?link skip-to popup pop-up modal drawer paywall disqus print-only mw-editsection editsection edit-link edit-this-page feedback
  toast snackbar back-to-top backtotop site-header site-footer page-footer globalnav masthead navbar nav-?bar topbar top-nav top-bar side-?nav
  headerlink header-anchor copy-button copybtn hidden-print sr-only visually-hidden visuallyhidden screen-reader-text printfooter catlinks
  jump-to-nav navbox sistersitebox noprint qrcode upsell search-form quick-?search phase-banner version-banner edit-info prev-next
`);

/** Names that hold content now and then: they count if what they hold is mostly links, or short beside the rest. */
export const perhaps = asName(`
  related recommend(?:ed|ations?)? more-(?:from|stories|articles|on|answers|topics) read-?more also-like further trending popular
  most-read most-viewed hot rank sidebar side-bar side widgets? menu nav navigation toc table-of-contents contents-list tags? taglist
  tag-list categories meta byline author-bio about-author author-box comments? comment-list respond replies footer foot header banner
  toolbar toolbox actions? controls links pagenav post-nav(?:igation)? next-prev votes? voting statement copyright legal rating votecell
`);

/** What follows the content of an article: written by others, or about other pages. */
export const aftermath = asName(`
  related recommend(?:ed|ations?)? trending popular most-read most-viewed more-(?:from|stories|articles|on|answers|topics) author-bio
  about-author author-box sidebar side-bar widgets? recently-viewed
`);

/** Names of the end of a page, whatever it says. */
export const pageEnd = asName("footer foot copyright legal statement colophon site-info");

/** Names of text for screen readers only. */
export const unseen = asName("sr-only visually-hidden visuallyhidden screen-reader-text is-sr-only a11y-hidden");

export const discussion = asName("comments? comment-list comment-box respond replies discussion reviews?");

export const contentAside = asName(`
  note notes warning tip hint important caution danger info admonition callout alert infobox pullquote footnotes? references sidenote
  aside-content example quote
`);

/** Words that head a block of furniture, in the languages of people who read with us and a few more. */
const heads = new RegExp(
  `^(?:${[
    "related (?:articles?|stories|posts?|topics?|content|questions?|reading|products?|news|searches|pages)",
    "you (?:may|might) also (?:like|enjoy|be interested)",
    "recommended (?:for you|reading|stories|articles)",
    "more (?:from|on this|stories|articles|news|in this section)",
    "most (?:read|viewed|popular|commented|shared)",
    "(?:trending|popular) (?:now|posts?|articles?|stories|this week|topics)",
    "frequently bought together",
    "(?:customers|people|others) also",
    "recently viewed",
    "sign up (?:for|to)\\b",
    "subscribe (?:to|now)\\b",
    "leave a (?:reply|comment)",
    "(?:add|post|write) a (?:comment|review)$",
    "join the (?:discussion|conversation)",
    "share (?:this|on|via)\\b",
    "(?:was|is) this (?:page|article|section|answer|post|information) (?:helpful|useful)",
    "did you find (?:this|what)",
    "have more questions",
    "not the answer you're looking for",
    "back to top$",
    "return to top$",
    "on this page$",
    "in this article$",
    "table of contents$",
    "contents$",
    "jump to:?$",
    "skip to ",
    "(?:we|this (?:web)?site) uses? (?:some )?(?:essential )?cookies",
    "edit this page",
    "(?:copyright )?©",
    "相关(?:新闻|文章|阅读|问题|推荐|链接|内容)",
    "(?:热门|推荐|最新)(?:文章|阅读|推荐|新闻|标签|专题)",
    "猜你喜欢",
    "为你推荐",
    "分享(?:到|至)",
    "(?:扫描|扫一扫).{0,4}二维码",
    "(?:网友|最新|全部)评论",
    "发表评论",
    "(?:上|下)一篇",
    "(?:版权|免责)?声明[：:]",
    "您?(?:当前|现在)的?(?:所在)?位置",
    "返回顶部",
    "関連(?:記事|リンク|ページ)",
    "人気(?:記事|の)",
    "シェア",
    "目次$",
    "このページを編集",
    "articles? (?:liés?|similaires)",
    "à lire aussi",
    "ähnliche (?:artikel|beiträge)",
    "mehr zum thema",
    "das könnte",
  ].join("|")})`,
  "iu",
);

/** Words that alone make up an element only if it is furniture. */
const alone =
  /^(?:advertisements?|sponsored|share|reply|follow|copy|copy code|copy to clipboard|edit|print|back to top|top|permalink|add a comment|more\.\.\.|report|like|广告|分享|回复|举报|收藏|点赞|登录后复制|复制|関連記事|広告)$/iu;

export function headsFurniture(text: string): boolean {
  return heads.test(text);
}

export function isFurnitureAlone(text: string): boolean {
  return alone.test(text);
}
