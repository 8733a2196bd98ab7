#include <algorithm>
#include <iterator>

#include "heed/text/accents_internal.h"
#include "heed/text/split_pattern_internal.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

// What is left of the characters first, first + 1, ..; those without accents stand for themselves.
struct Run {
  char32_t first;
  std::u32string_view bases;
};

// From UnicodeData.txt, in order: one character each, then several.
// clang-format off
constexpr Run kRuns[] = {
    {0xc0,
     U"AAAAAA\u00c6CEEEEIIII\u00d0NOOOOO\u00d7\u00d8UUUUY\u00de\u00dfaaaaaa\u00e6ceee"
     U"eiiii\u00f0nooooo\u00f7\u00f8uuuuy\u00feyAaAaAaCcCcCcCcDd\u0110\u0111EeEeEeEeE"
     U"eGgGgGgGgHh\u0126\u0127IiIiIiIiI"},
    {0x134, U"JjKk\u0138LlLlLl"}, {0x143, U"NnNnNn"},
    {0x14c, U"OoOoOo\u0152\u0153RrRrRrSsSsSsSsTtTt\u0166\u0167UuUuUuUuUuUuWwYyYZzZzZz"},
    {0x1a0, U"Oo"}, {0x1af, U"Uu"},
    {0x1cd, U"AaIiOoUuUuUuUuUu\u01ddAaAa\u00c6\u00e6\u01e4\u01e5GgKkOoOo\u01b7\u0292j"},
    {0x1f4,
     U"Gg\u01f6\u01f7NnAa\u00c6\u00e6\u00d8\u00f8AaAaEeEeIiIiOoOoRrRrUuUuSsTt\u021c"
     U"\u021dHh"},
    {0x226, U"AaEeOoOoOoOoYy"}, {0x374, U"\u02b9"}, {0x37e, U";"},
    {0x385, U"\u00a8\u0391\u00b7\u0395\u0397\u0399\u038b\u039f\u038d\u03a5\u03a9\u03b9"},
    {0x3aa, U"\u0399\u03a5\u03b1\u03b5\u03b7\u03b9\u03c5"},
    {0x3ca, U"\u03b9\u03c5\u03bf\u03c5\u03c9"}, {0x3d3, U"\u03d2\u03d2"},
    {0x400, U"\u0415\u0415\u0402\u0413"}, {0x407, U"\u0406"}, {0x40c, U"\u041a\u0418\u0423"},
    {0x419, U"\u0418"}, {0x439, U"\u0438"}, {0x450, U"\u0435\u0435\u0452\u0433"},
    {0x457, U"\u0456"}, {0x45c, U"\u043a\u0438\u0443"}, {0x476, U"\u0474\u0475"},
    {0x4c1, U"\u0416\u0436"},
    {0x4d0,
     U"\u0410\u0430\u0410\u0430\u04d4\u04d5\u0415\u0435\u04d8\u04d9\u04d8\u04d9\u0416"
     U"\u0436\u0417\u0437\u04e0\u04e1\u0418\u0438\u0418\u0438\u041e\u043e\u04e8\u04e9"
     U"\u04e8\u04e9\u042d\u044d\u0423\u0443\u0423\u0443\u0423\u0443\u0427\u0447\u04f6"
     U"\u04f7\u042b\u044b"},
    {0x622, U"\u0627\u0627\u0648\u0627\u064a"}, {0x6c0, U"\u06d5\u06c1\u06c1"}, {0x6d3, U"\u06d2"},
    {0x929, U"\u0928"}, {0x931, U"\u0930\u0932\u0933\u0933"},
    {0x958, U"\u0915\u0916\u0917\u091c\u0921\u0922\u092b\u092f"},
    {0x9dc, U"\u09a1\u09a2\u09de\u09af"}, {0xa33, U"\u0a32\u0a34\u0a35\u0a38"},
    {0xa59, U"\u0a16\u0a17\u0a1c\u0a5c\u0a5d\u0a2b"}, {0xb48, U"\u0b47"}, {0xb5c, U"\u0b21\u0b22"},
    {0xcc0, U"\u0cd5"}, {0xcc7, U"\u0cd5\u0cd6\u0cc9\u0cc2"}, {0xdda, U"\u0dd9"},
    {0xf43, U"\u0f42"}, {0xf4d, U"\u0f4c"}, {0xf52, U"\u0f51"}, {0xf57, U"\u0f56"},
    {0xf5c, U"\u0f5b"}, {0xf69, U"\u0f40"}, {0x1026, U"\u1025"}, {0x1b3b, U"\u1b35\u1b3c\u1b35"},
    {0x1b43, U"\u1b35"},
    {0x1e00,
     U"AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMmMmMmNnNnNnNnOo"
     U"OoOoOoPpPpRrRrRrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVvWwWwWwWwWwXxXxYyZzZzZzhtwy"
     U"\u1e9a\u017f"},
    {0x1ea0,
     U"AaAaAaAaAaAaAaAaAaAaAaAaEeEeEeEeEeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUu"
     U"UuUuYyYyYyYy"},
    {0x1f00,
     U"\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u0391\u0391\u0391\u0391\u0391"
     U"\u0391\u0391\u0391\u03b5\u03b5\u03b5\u03b5\u03b5\u03b5\u1f16\u1f17\u0395\u0395"
     U"\u0395\u0395\u0395\u0395\u1f1e\u1f1f\u03b7\u03b7\u03b7\u03b7\u03b7\u03b7\u03b7"
     U"\u03b7\u0397\u0397\u0397\u0397\u0397\u0397\u0397\u0397\u03b9\u03b9\u03b9\u03b9"
     U"\u03b9\u03b9\u03b9\u03b9\u0399\u0399\u0399\u0399\u0399\u0399\u0399\u0399\u03bf"
     U"\u03bf\u03bf\u03bf\u03bf\u03bf\u1f46\u1f47\u039f\u039f\u039f\u039f\u039f\u039f"
     U"\u1f4e\u1f4f\u03c5\u03c5\u03c5\u03c5\u03c5\u03c5\u03c5\u03c5\u1f58\u03a5\u1f5a"
     U"\u03a5\u1f5c\u03a5\u1f5e\u03a5\u03c9\u03c9\u03c9\u03c9\u03c9\u03c9\u03c9\u03c9"
     U"\u03a9\u03a9\u03a9\u03a9\u03a9\u03a9\u03a9\u03a9\u03b1\u03b1\u03b5\u03b5\u03b7"
     U"\u03b7\u03b9\u03b9\u03bf\u03bf\u03c5\u03c5\u03c9\u03c9\u1f7e\u1f7f\u03b1\u03b1"
     U"\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u0391\u0391\u0391\u0391\u0391\u0391\u0391"
     U"\u0391\u03b7\u03b7\u03b7\u03b7\u03b7\u03b7\u03b7\u03b7\u0397\u0397\u0397\u0397"
     U"\u0397\u0397\u0397\u0397\u03c9\u03c9\u03c9\u03c9\u03c9\u03c9\u03c9\u03c9\u03a9"
     U"\u03a9\u03a9\u03a9\u03a9\u03a9\u03a9\u03a9\u03b1\u03b1\u03b1\u03b1\u03b1\u1fb5"
     U"\u03b1\u03b1\u0391\u0391\u0391\u0391\u0391\u1fbd\u03b9\u1fbf\u1fc0\u00a8\u03b7"
     U"\u03b7\u03b7\u1fc5\u03b7\u03b7\u0395\u0395\u0397\u0397\u0397\u1fbf\u1fbf\u1fbf"
     U"\u03b9\u03b9\u03b9\u03b9\u1fd4\u1fd5\u03b9\u03b9\u0399\u0399\u0399\u0399\u1fdc"
     U"\u1ffe\u1ffe\u1ffe\u03c5\u03c5\u03c5\u03c5\u03c1\u03c1\u03c5\u03c5\u03a5\u03a5"
     U"\u03a5\u03a5\u03a1\u00a8\u00a8`\u1ff0\u1ff1\u03c9\u03c9\u03c9\u1ff5\u03c9"
     U"\u03c9\u039f\u039f\u03a9\u03a9\u03a9\u00b4\u1ffe\u1fff\u2002\u2003"},
    {0x2126, U"\u03a9"}, {0x212a, U"KA"}, {0x219a, U"\u2190\u2192"}, {0x21ae, U"\u2194"},
    {0x21cd, U"\u21d0\u21d4\u21d2"}, {0x2204, U"\u2203"}, {0x2209, U"\u2208\u220a\u220b\u220b"},
    {0x2224, U"\u2223\u2225\u2225"},
    {0x2241, U"\u223c\u2242\u2243\u2243\u2245\u2246\u2245\u2248\u2248"}, {0x2260, U"=\u2261\u2261"},
    {0x226d, U"\u224d<>\u2264\u2265\u2272\u2273\u2272\u2273\u2276\u2277\u2276\u2277"},
    {0x2280, U"\u227a\u227b\u2282\u2283\u2282\u2283\u2286\u2287\u2286\u2287"},
    {0x22ac, U"\u22a2\u22a8\u22a9\u22ab"}, {0x22e0, U"\u227c\u227d\u2291\u2292"},
    {0x22ea, U"\u22b2\u22b3\u22b4\u22b5"}, {0x2329, U"\u3008\u3009"}, {0x2adc, U"\u2add"},
    {0x304c,
     U"\u304b\u304d\u304d\u304f\u304f\u3051\u3051\u3053\u3053\u3055\u3055\u3057\u3057"
     U"\u3059\u3059\u305b\u305b\u305d\u305d\u305f\u305f\u3061\u3061\u3063\u3064\u3064"
     U"\u3066\u3066\u3068\u3068"},
    {0x3070,
     U"\u306f\u306f\u3072\u3072\u3072\u3075\u3075\u3075\u3078\u3078\u3078\u307b\u307b"
     U"\u307b"},
    {0x3094, U"\u3046"}, {0x309e, U"\u309d"},
    {0x30ac,
     U"\u30ab\u30ad\u30ad\u30af\u30af\u30b1\u30b1\u30b3\u30b3\u30b5\u30b5\u30b7\u30b7"
     U"\u30b9\u30b9\u30bb\u30bb\u30bd\u30bd\u30bf\u30bf\u30c1\u30c1\u30c3\u30c4\u30c4"
     U"\u30c6\u30c6\u30c8\u30c8"},
    {0x30d0,
     U"\u30cf\u30cf\u30d2\u30d2\u30d2\u30d5\u30d5\u30d5\u30d8\u30d8\u30d8\u30db\u30db"
     U"\u30db"},
    {0x30f4, U"\u30a6\u30f5\u30f6\u30ef\u30f0\u30f1\u30f2"}, {0x30fe, U"\u30fd"},
    {0xf900,
     U"\u8c48\u66f4\u8eca\u8cc8\u6ed1\u4e32\u53e5\u9f9c\u9f9c\u5951\u91d1\u5587\u5948"
     U"\u61f6\u7669\u7f85\u863f\u87ba\u88f8\u908f\u6a02\u6d1b\u70d9\u73de\u843d\u916a"
     U"\u99f1\u4e82\u5375\u6b04\u721b\u862d\u9e1e\u5d50\u6feb\u85cd\u8964\u62c9\u81d8"
     U"\u881f\u5eca\u6717\u6d6a\u72fc\u90ce\u4f86\u51b7\u52de\u64c4\u6ad3\u7210\u76e7"
     U"\u8001\u8606\u865c\u8def\u9732\u9b6f\u9dfa\u788c\u797f\u7da0\u83c9\u9304\u9e7f"
     U"\u8ad6\u58df\u5f04\u7c60\u807e\u7262\u78ca\u8cc2\u96f7\u58d8\u5c62\u6a13\u6dda"
     U"\u6f0f\u7d2f\u7e37\u964b\u52d2\u808b\u51dc\u51cc\u7a1c\u7dbe\u83f1\u9675\u8b80"
     U"\u62cf\u6a02\u8afe\u4e39\u5be7\u6012\u7387\u7570\u5317\u78fb\u4fbf\u5fa9\u4e0d"
     U"\u6ccc\u6578\u7d22\u53c3\u585e\u7701\u8449\u8aaa\u6bba\u8fb0\u6c88\u62fe\u82e5"
     U"\u63a0\u7565\u4eae\u5169\u51c9\u6881\u7ce7\u826f\u8ad2\u91cf\u52f5\u5442\u5973"
     U"\u5eec\u65c5\u6ffe\u792a\u95ad\u9a6a\u9e97\u9ece\u529b\u66c6\u6b77\u8f62\u5e74"
     U"\u6190\u6200\u649a\u6f23\u7149\u7489\u79ca\u7df4\u806f\u8f26\u84ee\u9023\u934a"
     U"\u5217\u52a3\u54bd\u70c8\u88c2\u8aaa\u5ec9\u5ff5\u637b\u6bae\u7c3e\u7375\u4ee4"
     U"\u56f9\u5be7\u5dba\u601c\u73b2\u7469\u7f9a\u8046\u9234\u96f6\u9748\u9818\u4f8b"
     U"\u79ae\u91b4\u96b8\u60e1\u4e86\u50da\u5bee\u5c3f\u6599\u6a02\u71ce\u7642\u84fc"
     U"\u907c\u9f8d\u6688\u962e\u5289\u677b\u67f3\u6d41\u6e9c\u7409\u7559\u786b\u7d10"
     U"\u985e\u516d\u622e\u9678\u502b\u5d19\u6dea\u8f2a\u5f8b\u6144\u6817\u7387\u9686"
     U"\u5229\u540f\u5c65\u6613\u674e\u68a8\u6ce5\u7406\u75e2\u7f79\u88cf\u88e1\u91cc"
     U"\u96e2\u533f\u6eba\u541d\u71d0\u7498\u85fa\u96a3\u9c57\u9e9f\u6797\u6dcb\u81e8"
     U"\u7acb\u7b20\u7c92\u72c0\u7099\u8b58\u4ec0\u8336\u523a\u5207\u5ea6\u62d3\u7cd6"
     U"\u5b85\u6d1e\u66b4\u8f3b\u884c\u964d\u898b\u5ed3\u5140\u55c0\ufa0e\ufa0f\u585a"
     U"\ufa11\u6674\ufa13\ufa14\u51de\u732a\u76ca\u793c\u795e\u7965\u798f\u9756\u7cbe"
     U"\u7fbd\ufa1f\u8612\ufa21\u8af8\ufa23\ufa24\u9038\u90fd"},
    {0xfa2a,
     U"\u98ef\u98fc\u9928\u9db4\u90de\u96b7\u4fae\u50e7\u514d\u52c9\u52e4\u5351\u559d"
     U"\u5606\u5668\u5840\u58a8\u5c64\u5c6e\u6094\u6168\u618e\u61f2\u654f\u65e2\u6691"
     U"\u6885\u6d77\u6e1a\u6f22\u716e\u722b\u7422\u7891\u793e\u7949\u7948\u7950\u7956"
     U"\u795d\u798d\u798e\u7a40\u7a81\u7bc0\u7df4\u7e09\u7e41\u7f72\u8005\u81ed\u8279"
     U"\u8279\u8457\u8910\u8996\u8b01\u8b39\u8cd3\u8d08\u8fb6\u9038\u96e3\u97ff\u983b"
     U"\u6075\U000242ee\u8218\ufa6e\ufa6f\u4e26\u51b5\u5168\u4f80\u5145\u5180\u52c7"
     U"\u52fa\u559d\u5555\u5599\u55e2\u585a\u58b3\u5944\u5954\u5a62\u5b28\u5ed2\u5ed9"
     U"\u5f69\u5fad\u60d8\u614e\u6108\u618e\u6160\u61f2\u6234\u63c4\u641c\u6452\u6556"
     U"\u6674\u6717\u671b\u6756\u6b79\u6bba\u6d41\u6edb\u6ecb\u6f22\u701e\u716e\u77a7"
     U"\u7235\u72af\u732a\u7471\u7506\u753b\u761d\u761f\u76ca\u76db\u76f4\u774a\u7740"
     U"\u78cc\u7ab1\u7bc0\u7c7b\u7d5b\u7df4\u7f3e\u8005\u8352\u83ef\u8779\u8941\u8986"
     U"\u8996\u8abf\u8af8\u8acb\u8b01\u8afe\u8aed\u8b39\u8b8a\u8d08\u8f38\u9072\u9199"
     U"\u9276\u967c\u96e3\u9756\u97db\u97ff\u980b\u983b\u9b12\u9f9c\U0002284a"
     U"\U00022844\U000233d5\u3b9d\u4018\u4039\U00025249\U00025cd0\U00027ed3\u9f43"
     U"\u9f8e"},
    {0xfb1d, U"\u05d9\ufb1e\u05f2"},
    {0xfb2a,
     U"\u05e9\u05e9\u05e9\u05e9\u05d0\u05d0\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6"
     U"\ufb37\u05d8\u05d9\u05da\u05db\u05dc\ufb3d\u05de\ufb3f\u05e0\u05e1\ufb42\u05e3"
     U"\u05e4\ufb45\u05e6\u05e7\u05e8\u05e9\u05ea\u05d5\u05d1\u05db\u05e4"},
    {0x1109a, U"\U00011099\U0001109b\U0001109b"}, {0x110ab, U"\U000110a5"},
    {0x114bb, U"\U000114b9"},
    {0x2f800,
     U"\u4e3d\u4e38\u4e41\U00020122\u4f60\u4fae\u4fbb\u5002\u507a\u5099\u50e7\u50cf"
     U"\u349e\U0002063a\u514d\u5154\u5164\u5177\U0002051c\u34b9\u5167\u518d\U0002054b"
     U"\u5197\u51a4\u4ecc\u51ac\u51b5\U000291df\u51f5\u5203\u34df\u523b\u5246\u5272"
     U"\u5277\u3515\u52c7\u52c9\u52e4\u52fa\u5305\u5306\u5317\u5349\u5351\u535a\u5373"
     U"\u537d\u537f\u537f\u537f\U00020a2c\u7070\u53ca\u53df\U00020b63\u53eb\u53f1"
     U"\u5406\u549e\u5438\u5448\u5468\u54a2\u54f6\u5510\u5553\u5563\u5584\u5584\u5599"
     U"\u55ab\u55b3\u55c2\u5716\u5606\u5717\u5651\u5674\u5207\u58ee\u57ce\u57f4\u580d"
     U"\u578b\u5832\u5831\u58ac\U000214e4\u58f2\u58f7\u5906\u591a\u5922\u5962"
     U"\U000216a8\U000216ea\u59ec\u5a1b\u5a27\u59d8\u5a66\u36ee\u36fc\u5b08\u5b3e"
     U"\u5b3e\U000219c8\u5bc3\u5bd8\u5be7\u5bf3\U00021b18\u5bff\u5c06\u5f53\u5c22"
     U"\u3781\u5c60\u5c6e\u5cc0\u5c8d\U00021de4\u5d43\U00021de6\u5d6e\u5d6b\u5d7c"
     U"\u5de1\u5de2\u382f\u5dfd\u5e28\u5e3d\u5e69\u3862\U00022183\u387c\u5eb0\u5eb3"
     U"\u5eb6\u5eca\U0002a392\u5efe\U00022331\U00022331\u8201\u5f22\u5f22\u38c7"
     U"\U000232b8\U000261da\u5f62\u5f6b\u38e3\u5f9a\u5fcd\u5fd7\u5ff9\u6081\u393a"
     U"\u391c\u6094\U000226d4\u60c7\u6148\u614c\u614e\u614c\u617a\u618e\u61b2\u61a4"
     U"\u61af\u61de\u61f2\u61f6\u6210\u621b\u625d\u62b1\u62d4\u6350\U00022b0c\u633d"
     U"\u62fc\u6368\u6383\u63e4\U00022bf1\u6422\u63c5\u63a9\u3a2e\u6469\u647e\u649d"
     U"\u6477\u3a6c\u654f\u656c\U0002300a\u65e3\u66f8\u6649\u3b19\u6691\u3b08\u3ae4"
     U"\u5192\u5195\u6700\u669c\u80ad\u43d9\u6717\u671b\u6721\u675e\u6753\U000233c3"
     U"\u3b49\u67fa\u6785\u6852\u6885\U0002346d\u688e\u681f\u6914\u3b9d\u6942\u69a3"
     U"\u69ea\u6aa8\U000236a3\u6adb\u3c18\u6b21\U000238a7\u6b54\u3c4e\u6b72\u6b9f"
     U"\u6bba\u6bbb\U00023a8d\U00021d0b\U00023afa\u6c4e\U00023cbc\u6cbf\u6ccd\u6c67"
     U"\u6d16\u6d3e\u6d77\u6d41\u6d69\u6d78\u6d85\U00023d1e\u6d34\u6e2f\u6e6e\u3d33"
     U"\u6ecb\u6ec7\U00023ed1\u6df9\u6f6e\U00023f5e\U00023f8e\u6fc6\u7039\u701e\u701b"
     U"\u3d96\u704a\u707d\u7077\u70ad\U00020525\u7145\U00024263\u719c\U000243ab\u7228"
     U"\u7235\u7250\U00024608\u7280\u7295\U00024735\U00024814\u737a\u738b\u3eac\u73a5"
     U"\u3eb8\u3eb8\u7447\u745c\u7471\u7485\u74ca\u3f1b\u7524\U00024c36\u753e"
     U"\U00024c92\u7570\U0002219f\u7610\U00024fa1\U00024fb8\U00025044\u3ffc\u4008"
     U"\u76f4\U000250f3\U000250f2\U00025119\U00025133\u771e\u771f\u771f\u774a\u4039"
     U"\u778b\u4046\u4096\U0002541d\u784e\u788c\u78cc\u40e3\U00025626\u7956\U0002569a"
     U"\U000256c5\u798f\u79eb\u412f\u7a40\u7a4a\u7a4f\U0002597c\U00025aa7\U00025aa7"
     U"\u7aee\u4202\U00025bab\u7bc6\u7bc9\u4227\U00025c80\u7cd2\u42a0\u7ce8\u7ce3"
     U"\u7d00\U00025f86\u7d63\u4301\u7dc7\u7e02\u7e45\u4334\U00026228\U00026247\u4359"
     U"\U000262d9\u7f7a\U0002633e\u7f95\u7ffa\u8005\U000264da\U00026523\u8060"
     U"\U000265a8\u8070\U0002335f\u43d5\u80b2\u8103\u440b\u813e\u5ab5\U000267a7"
     U"\U000267b5\U00023393\U0002339c\u8201\u8204\u8f9e\u446b\u8291\u828b\u829d\u52b3"
     U"\u82b1\u82b3\u82bd\u82e6\U00026b3c\u82e5\u831d\u8363\u83ad\u8323\u83bd\u83e7"
     U"\u8457\u8353\u83ca\u83cc\u83dc\U00026c36\U00026d6b\U00026cd5\u452b\u84f1\u84f3"
     U"\u8516\U000273ca\u8564\U00026f2c\u455d\u4561\U00026fb1\U000270d2\u456b\u8650"
     U"\u865c\u8667\u8669\u86a9\u8688\u870e\u86e2\u8779\u8728\u876b\u8786\u45d7\u87e1"
     U"\u8801\u45f9\u8860\u8863\U00027667\u88d7\u88de\u4635\u88fa\u34bb\U000278ae"
     U"\U00027966\u46be\u46c7\u8aa0\u8aed\u8b8a\u8c55\U00027ca8\u8cab\u8cc1\u8d1b"
     U"\u8d77\U00027f2f\U00020804\u8dcb\u8dbc\u8df0\U000208de\u8ed4\u8f38\U000285d2"
     U"\U000285ed\u9094\u90f1\u9111\U0002872e\u911b\u9238\u92d7\u92d8\u927c\u93f9"
     U"\u9415\U00028bfa\u958b\u4995\u95b7\U00028d77\u49e6\u96c3\u5db2\u9723\U00029145"
     U"\U0002921a\u4a6e\u4a76\u97e0\U0002940a\u4ab2\U00029496\u980b\u980b\u9829"
     U"\U000295b6\u98e2\u4b33\u9929\u99a7\u99c2\u99fe\u4bce\U00029b30\u9b12\u9c40"
     U"\u9cfd\u4cce\u4ced\u9d67\U0002a0ce\u4cf8\U0002a105\U0002a20e\U0002a291\u9ebb"
     U"\u4d56\u9ef9\u9efe\u9f05\u9f0f\u9f16\u9f3b\U0002a600"},
};
constexpr Run kSequences[] = {
    {0x9cb, U"\u09c7\u09be"}, {0x9cc, U"\u09c7\u09d7"}, {0xb4b, U"\u0b47\u0b3e"},
    {0xb4c, U"\u0b47\u0b57"}, {0xb94, U"\u0b92\u0bd7"}, {0xbca, U"\u0bc6\u0bbe"},
    {0xbcb, U"\u0bc7\u0bbe"}, {0xbcc, U"\u0bc6\u0bd7"}, {0xccb, U"\u0cc2\u0cd5"},
    {0xd4a, U"\u0d46\u0d3e"}, {0xd4b, U"\u0d47\u0d3e"}, {0xd4c, U"\u0d46\u0d57"},
    {0xddc, U"\u0dd9\u0dcf"}, {0xddd, U"\u0dd9\u0dcf"}, {0xdde, U"\u0dd9\u0ddf"},
    {0x1b06, U"\u1b05\u1b35"}, {0x1b08, U"\u1b07\u1b35"}, {0x1b0a, U"\u1b09\u1b35"},
    {0x1b0c, U"\u1b0b\u1b35"}, {0x1b0e, U"\u1b0d\u1b35"}, {0x1b12, U"\u1b11\u1b35"},
    {0x1b40, U"\u1b3e\u1b35"}, {0x1b41, U"\u1b3f\u1b35"}, {0x1134b, U"\U00011347\U0001133e"},
    {0x1134c, U"\U00011347\U00011357"}, {0x114bc, U"\U000114b9\U000114b0"},
    {0x114be, U"\U000114b9\U000114bd"}, {0x115ba, U"\U000115b8\U000115af"},
    {0x115bb, U"\U000115b9\U000115af"}, {0x11938, U"\U00011935\U00011930"},
    {0x1d15e, U"\U0001d157\U0001d165"}, {0x1d15f, U"\U0001d158\U0001d165"},
    {0x1d160, U"\U0001d158\U0001d165\U0001d16e"}, {0x1d161, U"\U0001d158\U0001d165\U0001d16f"},
    {0x1d162, U"\U0001d158\U0001d165\U0001d170"}, {0x1d163, U"\U0001d158\U0001d165\U0001d171"},
    {0x1d164, U"\U0001d158\U0001d165\U0001d172"}, {0x1d1bb, U"\U0001d1b9\U0001d165"},
    {0x1d1bc, U"\U0001d1ba\U0001d165"}, {0x1d1bd, U"\U0001d1b9\U0001d165\U0001d16e"},
    {0x1d1be, U"\U0001d1ba\U0001d165\U0001d16e"}, {0x1d1bf, U"\U0001d1b9\U0001d165\U0001d16f"},
    {0x1d1c0, U"\U0001d1ba\U0001d165\U0001d16f"},
};
// clang-format on

// Syllables of Hangul are made of a lead, a vowel and perhaps a tail, in this order.
constexpr char32_t kSyllables = 0xac00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11a7;
constexpr char32_t kVowelCount = 21, kTailCount = 28,
                   kSyllableCount = 19 * kVowelCount * kTailCount;

template <size_t N>
const Run* run_of(const Run (&runs)[N], char32_t value) {
  const Run* after = std::upper_bound(std::begin(runs), std::end(runs), value,
                                      [](char32_t v, const Run& run) { return v < run.first; });
  return after == std::begin(runs) ? nullptr : after - 1;
}

void append_decomposed(std::string& text, char32_t value) {
  if (value - kSyllables < kSyllableCount) {
    const char32_t index = value - kSyllables, tail = index % kTailCount;
    append_utf8(text, kLeads + index / (kVowelCount * kTailCount));
    append_utf8(text, kVowels + index / kTailCount % kVowelCount);
    if (tail > 0) append_utf8(text, kTails + tail);
    return;
  }
  const Run* sequence = run_of(kSequences, value);
  if (sequence != nullptr && sequence->first == value) {
    for (const char32_t part : sequence->bases) append_utf8(text, part);
    return;
  }
  const Run* run = run_of(kRuns, value);
  const bool is_inside = run != nullptr && value - run->first < run->bases.size();
  append_utf8(text, is_inside ? run->bases[value - run->first] : value);
}

}  // namespace

std::string strip_accents(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return std::string(text);
  std::string decomposed;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    append_decomposed(decomposed, point.value);
    text.remove_prefix(point.bytes);
  }
  static const SplitPattern others(R"(\P{Mn}+)", SplitPattern::Gaps::drop, "accents");
  std::string result;
  others.split(decomposed, [&](std::string_view piece) { result += piece; });
  return result;
}

}  // namespace heed
